/** Kills each process of an installation while a question is open: it is put once unless its answer was never stored. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/gate.js';
import { init, type Reply, type WireMessage, type WireSession } from '../support/http-wire.js';
import { killInstallationOf, killRedisOf, nothingRuns, processesOf, workersOf } from '../support/processes.js';
import {
  answerTo,
  isQuestion,
  QUIZ,
  question,
  questionsOn,
  repliesIn,
  says,
  WILLING,
  wordsOf,
} from '../support/questions-wire.js';
import { testRedis } from '../support/redis.js';
import { type HttpServer, type Ledger, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';

const TWO_ROUNDS = [[{ key: 'a' }], [{ key: 'b' }]];
/** Bounds of what follows a kill: processes come up again in about a second here, slower on a busy machine. */
const AFTER_KILL_MS = 60_000;

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

/** How often each question came, over all streams of all clients. */
function counted(...streams: readonly Pick<Reply, 'messages'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of streams.flatMap(questionsOn)) counts[wordsOf(one)] = (counts[wordsOf(one)] ?? 0) + 1;
  return counts;
}

async function killWorkers(): Promise<void> {
  for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
}

const isRedis = (command: string) => /(redis|valkey)-server/.test(command);

const textsIn = ({ result }: WireMessage) => repliesIn(result).map(({ value }) => Reflect.get(Object(value), 'text'));

/** What really ran: every step once, and the job to its end once. */
async function expectWorkOnce(ledger: Ledger): Promise<void> {
  const lines = await ledger.lines();
  expect(lines.filter((line) => line.startsWith('step')).sort()).toEqual(['step 0', 'step 1']);
  expect(lines.filter((line) => line.startsWith('done'))).toHaveLength(1);
}

/** Waits until the job of the ledger is parked, as another client sees it. */
async function parked(session: WireSession, ledger: Ledger): Promise<void> {
  const id = (await ledger.line('run')).split(' ')[1] ?? '';
  const look = async () => (await session.result(`g${Math.random()}`, 'get_job', { job_id: id })).structuredContent;
  await until(look, (job) => job?.state === 'parked', { what: 'the job to be parked', limitMs: AFTER_KILL_MS });
}

describe('a worker that is killed', () => {
  it('while questions are open costs nothing: each is put once and answered', async () => {
    const http = await site.http({ env: QUIZ });
    const session = await init(http, WILLING);
    const ledger = site.ledger();
    const call = await session.call(1, 'quiz', { rounds: TWO_ROUNDS, ledger: ledger.path });
    for (const words of ['question a', 'question b']) {
      const asked = await question(call, words, AFTER_KILL_MS);
      await parked(session, ledger);
      await killWorkers();
      await answerTo(session, asked, says(`to ${words}`));
    }
    expect(textsIn(await call.response(1, AFTER_KILL_MS))).toEqual(['to question a', 'to question b']);
    expect(counted(call)).toEqual({ 'question a': 1, 'question b': 1 });
    await expectWorkOnce(ledger);
  });

  it.each(['beside its front end', 'elsewhere'])(
    '%s between an answer and the next question does not ask again',
    async (where) => {
      const elsewhere = where === 'elsewhere';
      const http = await site.http({ env: QUIZ, workers: elsewhere ? 0 : 1 });
      if (elsewhere) await site.worker({ env: QUIZ });
      const session = await init(http, WILLING);
      const [ledger, gate] = [site.ledger(), site.gate()];
      const call = await session.call(1, 'quiz', { rounds: TWO_ROUNDS, ledger: ledger.path, gate: gate.path });
      await answerTo(session, await question(call, 'question a'), says('one'));
      await ledger.line('at the gate');
      await killWorkers();
      await gate.open();
      await answerTo(session, await question(call, 'question b', AFTER_KILL_MS), says('two'));
      expect(textsIn(await call.response(1))).toEqual(['one', 'two']);
      expect(counted(call)).toEqual({ 'question a': 1, 'question b': 1 });
      await expectWorkOnce(ledger);
    },
  );

  it('elsewhere together with all that watches over it leaves the question open for the next worker', async () => {
    const http = await site.http({ env: QUIZ, workers: 0 });
    const first = await site.worker({ env: QUIZ });
    const session = await init(http, WILLING);
    const ledger = site.ledger();
    const call = await session.call(1, 'quiz', { rounds: TWO_ROUNDS, ledger: ledger.path });
    const asked = await question(call, 'question a');
    await parked(session, ledger);
    await killWorkers();
    await first.stop('SIGKILL');
    await answerTo(session, asked, says('one'));
    await site.worker({ env: QUIZ });
    await answerTo(session, await question(call, 'question b', AFTER_KILL_MS), says('two'));
    expect(textsIn(await call.response(1))).toEqual(['one', 'two']);
    expect(counted(call)).toEqual({ 'question a': 1, 'question b': 1 });
    await expectWorkOnce(ledger);
  });
});

describe('a front end that is killed', () => {
  it('leaves the open question to the call that comes back, and what was answered is not asked again', async () => {
    await site.worker({ env: QUIZ });
    const ledger = site.ledger();
    const args = { rounds: TWO_ROUNDS, ledger: ledger.path, idempotency_key: 'again' };
    const streams: Reply[] = [];
    const attach = async (): Promise<{ http: HttpServer; session: WireSession; call: Reply }> => {
      const http = await site.http({ env: QUIZ, workers: 0 });
      const session = await init(http, WILLING);
      const call = await session.call(1, 'quiz', args);
      streams.push(call);
      return { http, session, call };
    };
    const first = await attach();
    await question(first.call, 'question a');
    await first.http.stop('SIGKILL');

    const second = await attach();
    await answerTo(second.session, await question(second.call, 'question a', AFTER_KILL_MS), says('one'));
    await question(second.call, 'question b');
    await second.http.stop('SIGKILL');

    const third = await attach();
    await answerTo(third.session, await question(third.call, 'question b', AFTER_KILL_MS), says('two'));
    expect(textsIn(await third.call.response(1))).toEqual(['one', 'two']);
    expect(counted(...streams)).toEqual({ 'question a': 2, 'question b': 2 });
    expect(counted(third.call)).toEqual({ 'question b': 1 });
    await expectWorkOnce(ledger);
  });

  it('with its workers and Redis leaves the question to an installation that starts again', async () => {
    const ledger = site.ledger();
    const args = { rounds: TWO_ROUNDS, ledger: ledger.path, idempotency_key: 'all' };
    const session = await init(await site.http({ env: QUIZ }), WILLING);
    const before = await session.call(1, 'quiz', args);
    await answerTo(session, await question(before, 'question a'), says('one'));
    await question(before, 'question b');
    await parked(session, ledger);
    await killInstallationOf(site.dataDir);
    await nothingRuns(site.dataDir, AFTER_KILL_MS);

    const again = await init(await site.http({ env: QUIZ }), WILLING);
    const after = await again.call(1, 'quiz', args);
    await answerTo(again, await question(after, 'question b', AFTER_KILL_MS), says('two'));
    expect(textsIn(await after.response(1, AFTER_KILL_MS))).toEqual(['one', 'two']);
    expect(counted(after)).toEqual({ 'question b': 1 });
    await expectWorkOnce(ledger);
  });

  it('on stdio leaves the open question to the next process of its host', async () => {
    const ledger = site.ledger();
    const args = { rounds: TWO_ROUNDS, ledger: ledger.path, idempotency_key: 'stdio' };
    const call = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'quiz', arguments: args } };
    const first = await openStdio({ site, env: QUIZ });
    await first.initialize(WILLING);
    first.send(call);
    await first.message('the question', isQuestion);
    await first.process.stop('SIGKILL');
    const second = await openStdio({ site, env: QUIZ });
    await second.initialize(WILLING);
    second.send(call);
    for (const words of ['question a', 'question b']) {
      const { id } = await second.message(words, (one) => isQuestion(one) && wordsOf(one) === words, {
        limitMs: AFTER_KILL_MS,
      });
      second.send({ jsonrpc: '2.0', id, result: says(`to ${words}`) });
    }
    const end = await second.message('the result', ({ id, method }) => id === 'c' && method === undefined);
    expect(textsIn(end)).toEqual(['to question a', 'to question b']);
    await expectWorkOnce(ledger);
  });
});

describe('a Redis that is killed', () => {
  it('while a question is open comes back with it: it is not put again, and its answer counts', async () => {
    const session = await init(await site.http({ env: QUIZ }), WILLING);
    const ledger = site.ledger();
    const call = await session.call(1, 'quiz', { rounds: TWO_ROUNDS, ledger: ledger.path });
    for (const words of ['question a', 'question b']) {
      const asked = await question(call, words, AFTER_KILL_MS);
      await parked(session, ledger);
      const dead = await killRedisOf(site.dataDir);
      const running = async () =>
        (await processesOf(site.dataDir)).find(({ command, pid }) => isRedis(command) && pid !== dead);
      await until(running, (found) => found !== undefined, { what: 'another Redis', limitMs: AFTER_KILL_MS });
      // It is taken once it can be stored; until then its client says it again.
      const answered = async () => (await session.answer(asked.id, says(`to ${words}`))).status;
      await until(answered, (status) => status === 202, { what: 'the answer to be taken', limitMs: AFTER_KILL_MS });
    }
    expect(textsIn(await call.response(1, AFTER_KILL_MS))).toEqual(['to question a', 'to question b']);
    expect(counted(call)).toEqual({ 'question a': 1, 'question b': 1 });
    await expectWorkOnce(ledger);
  });

  it('before the answer comes, and stays away for a while, costs neither the answer nor a second question', async () => {
    const redis = await testRedis();
    onTestFinished(() => redis.stop());
    const address = 'path' in redis.connection ? `unix://${redis.connection.path}` : redis.url;
    const session = await init(await site.http({ env: { ...QUIZ, LONGHAUL_REDIS_URL: address } }), WILLING);
    const ledger = site.ledger();
    const call = await session.call(1, 'quiz', { rounds: TWO_ROUNDS, ledger: ledger.path });
    const asked = await question(call, 'question a');
    await parked(session, ledger);
    await redis.kill9();
    // It is not stored yet, so its client may say it again; but the front end keeps it, as most clients do not.
    expect((await session.answer(asked.id, says('while it was away'))).status).toBe(503);
    expect(await session.result('echo', 'echo', { text: 'x' })).toMatchObject({ isError: true });
    await redis.restart();
    await answerTo(session, await question(call, 'question b', AFTER_KILL_MS), says('two'));
    expect(textsIn(await call.response(1, AFTER_KILL_MS))).toEqual(['while it was away', 'two']);
    expect(counted(call)).toEqual({ 'question a': 1, 'question b': 1 });
    await expectWorkOnce(ledger);
  });
});
