/** Questions to a 2025-era client that are never answered, come too late, or are withdrawn, on HTTP and stdio. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import {
  callBody,
  init,
  initializeBody,
  post,
  type Reply,
  textOf,
  type WireMessage,
  type WireSession,
} from '../support/http-wire.js';
import {
  answerTo,
  isQuestion,
  QUIZ,
  question,
  questionsOn,
  repliesIn,
  says,
  WILLING,
  withdrawnOn,
} from '../support/questions-wire.js';
import { type HttpServer, type Ledger, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import { cancelMessage, responsesTo } from '../support/wire-messages.js';

const ONE = { questions: [{ key: 'a', kind: 'sampling' }] };
/** Longer than a busy machine takes from a question to its answer. */
const WAIT_SECONDS = 3;
/** Far less than any other time that a question or its job may take. */
const BOUND_MS = WAIT_SECONDS * 1_000 + 10_000;

/** Opens a site whose clients have `seconds` to answer. */
function useSite(env: Readonly<Record<string, string>>): () => { site: Site; http: HttpServer } {
  let opened: { site: Site; http: HttpServer } | undefined;
  beforeAll(async () => {
    const site = await openSite();
    opened = { site, http: await site.http({ env: { ...QUIZ, ...env } }) };
    // The first job waits for the worker to come up, which is not the time that is measured here.
    await (await init(opened.http)).result('up', 'echo', { text: 'up' });
  });
  afterAll(() => opened?.site.close());
  return () => {
    if (!opened) throw new Error('the site is not open');
    return opened;
  };
}

/** Where no question's time is over before a test is. */
const patient = useSite({});

/** The id of the job that a scripted tool noted when it ran. */
async function jobIn(ledger: Ledger): Promise<string> {
  return (await ledger.line('run')).split(' ')[1] ?? '';
}

/** The position of the first message that fits. */
const placeOf = (stream: Reply, fits: (message: WireMessage) => boolean) => stream.messages().findIndex(fits);
const isWithdrawal = ({ method }: WireMessage) => method === 'notifications/cancelled';

/** Twenty calls of one session, at a front end that puts all their questions together. */
async function twentyAsked({ site }: { site: Site }): Promise<{ session: WireSession; calls: readonly Reply[] }> {
  const http = await site.http({ env: { ...QUIZ, LONGHAUL_CLIENT_QUESTIONS: '20' }, workers: 0 });
  const session = await init(http, WILLING);
  const calls = await Promise.all(Array.from({ length: 20 }, (_, index) => session.call(`s-${index}`, 'asking', ONE)));
  await Promise.all(calls.map((call) => question(call, 'question a')));
  return { session, calls };
}

describe('a question that is not answered in time', () => {
  const at = useSite({ LONGHAUL_INPUT_TIMEOUT_SECONDS: String(WAIT_SECONDS) });

  it('27, 49 · is withdrawn, ends as the handler decides, and a late answer is accepted and ignored', async () => {
    const session = await init(at().http, WILLING);
    const startedMs = Date.now();
    const call = await session.call(1, 'asking', ONE);
    const asked = await question(call, 'question a');
    const { result } = await call.response(1, BOUND_MS);
    expect(repliesIn(result)).toEqual([{ kind: 'timed_out' }]);
    expect(Date.now() - startedMs).toBeGreaterThan(WAIT_SECONDS * 1_000 - 100);
    expect(withdrawnOn(call)).toEqual([asked.id]);
    expect(placeOf(call, isWithdrawal)).toBeLessThan(placeOf(call, ({ id }) => id === 1));
    await answerTo(session, asked, says('late'));
    expect(questionsOn(call)).toHaveLength(1);
    expect(textOf(await session.result(2, 'echo', { text: 'well' }))).toBe('well');
  });

  it('beside one that is keeps the answer it got, and only the other has timed out', async () => {
    const session = await init(at().http, WILLING);
    const call = await session.call(1, 'quiz', { rounds: [[{ key: 'a' }, { key: 'b' }, { key: 'c', kind: 'roots' }]] });
    const [a, b] = [await question(call, 'question a'), await question(call, 'question b')];
    await answerTo(session, b, says('in time'));
    const got = repliesIn((await call.response(1)).result);
    expect(got).toMatchObject([{ kind: 'timed_out' }, { value: { text: 'in time' } }, { kind: 'timed_out' }]);
    expect(withdrawnOn(call)).toContain(a.id);
    expect(withdrawnOn(call)).not.toContain(b.id);
    expect(questionsOn(call)).toHaveLength(3);
  });

  it('gives the next question its whole time', async () => {
    const session = await init(at().http, WILLING);
    // From before the first is asked: when a question came here says only that its time began before.
    const startedMs = Date.now();
    const call = await session.call(1, 'quiz', { rounds: [[{ key: 'a' }], [{ key: 'b' }]] });
    await question(call, 'question a');
    const b = await question(call, 'question b');
    const got = repliesIn((await call.response(1)).result);
    expect(Date.now() - startedMs).toBeGreaterThan(2 * WAIT_SECONDS * 1_000 - 100);
    expect(got).toEqual([{ kind: 'timed_out' }, { kind: 'timed_out' }]);
    expect(withdrawnOn(call)).toHaveLength(2);
    expect(withdrawnOn(call)).toContain(b.id);
  });

  it('41 · comes twenty times at once, and the twenty jobs end in time', async () => {
    const { calls } = await twentyAsked(at());
    const ends = await Promise.all(calls.map((call, index) => call.response(`s-${index}`, BOUND_MS)));
    for (const { result } of ends) expect(repliesIn(result)).toEqual([{ kind: 'timed_out' }]);
  });

  it('is withdrawn on stdio as well', async () => {
    const wire = await openStdio({ env: { LONGHAUL_INPUT_TIMEOUT_SECONDS: String(WAIT_SECONDS) } });
    await wire.initialize(WILLING);
    const answer = await wire.call('asking', ONE);
    expect(repliesIn(answer.result)).toEqual([{ kind: 'timed_out' }]);
    const messages = wire.seen.map(({ message }) => message);
    const asked = messages.filter(isQuestion);
    expect(asked).toHaveLength(1);
    expect(messages.filter(isWithdrawal).map(({ params }) => params?.requestId)).toEqual([asked[0]?.id]);
    wire.send({ jsonrpc: '2.0', id: asked[0]?.id, result: says('late') });
    expect(textOf((await wire.call('echo', { text: 'well' })).result)).toBe('well');
  });
});

describe('a question that waits for its answer', () => {
  const at = patient;

  it('41 · hinders nobody: beside twenty of them, other tools of the silent client answer as ever', async () => {
    const { session, calls } = await twentyAsked(at());
    expect(textOf(await session.result('other', 'echo', { text: 'well' }))).toBe('well');
    const asking = await session.call('none', 'quiz', { rounds: [] });
    expect(repliesIn((await asking.response('none')).result)).toEqual([]);
    const isAnswer = ({ method }: WireMessage) => method === undefined;
    expect(calls.flatMap((call) => call.messages()).filter(isAnswer)).toEqual([]);
    await session.delete();
  });
});

describe('a question that is withdrawn', () => {
  const at = patient;

  it('23 · because its call is cancelled is so before the stream closes, and a late answer changes nothing', async () => {
    const { site, http } = at();
    const session = await init(http, WILLING);
    const ledger = site.ledger();
    const call = await session.call('c', 'asking', { ...ONE, ledger: ledger.path });
    const asked = await question(call, 'question a');
    await session.notify('notifications/cancelled', { requestId: 'c', reason: 'enough' });
    expect(await call.ended).toBe('end');
    expect(withdrawnOn(call)).toEqual([asked.id]);
    expect(call.messages().at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { reason: 'enough' } });
    expect(call.messages().filter(({ id }) => id === 'c')).toEqual([]);
    await answerTo(session, asked, says('late'));
    const id = await jobIn(ledger);
    const look = async () => (await session.result('g', 'get_job', { job_id: id })).structuredContent ?? {};
    // The client hears the end of its stream and the job's record changes, in either order.
    const job = await until(look, ({ state }) => state === 'cancelled', { what: 'the job to be cancelled' });
    expect(job).toMatchObject({ cancel_reason: 'enough' });
    expect(await ledger.lines()).toHaveLength(1);
  });

  it('23 · because its call is cancelled is so on stdio', async () => {
    const wire = await openStdio();
    await wire.initialize(WILLING);
    wire.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'asking', arguments: ONE } });
    const asked = await wire.message('the question', isQuestion);
    wire.send(cancelMessage('c', 'enough'));
    const withdrawal = await wire.message('the withdrawal', isWithdrawal);
    expect(withdrawal.params).toMatchObject({ requestId: asked.id });
    wire.send({ jsonrpc: '2.0', id: asked.id, result: says('late') });
    expect(textOf((await wire.call('echo', { text: 'well' })).result)).toBe('well');
    expect(responsesTo(wire.seen, 'c')).toEqual([]);
  });

  it('because another session cancels the job is so before the call is told', async () => {
    const { site, http } = at();
    const [session, other] = await Promise.all([init(http, WILLING), init(http)]);
    const ledger = site.ledger();
    const call = await session.call('c', 'quiz', { rounds: [[{ key: 'a' }, { key: 'b' }]], ledger: ledger.path });
    const asked = await Promise.all([question(call, 'question a'), question(call, 'question b')]);
    await other.result('x', 'cancel_job', { job_id: await jobIn(ledger), reason: 'not now' });
    const { result } = await call.response('c');
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('not now');
    expect(withdrawnOn(call).sort()).toEqual(asked.map(({ id }) => id).sort());
    expect(placeOf(call, ({ id }) => id === 'c')).toBe(call.messages().length - 1);
    for (const one of asked) await answerTo(session, one, says('late'));
    expect((await ledger.lines()).filter((line) => line.startsWith('run'))).toHaveLength(1);
    for (const { params } of call.messages().filter(isWithdrawal)) expect(params?.reason).toBe('the call is over');
  });
});

describe('a question to a client that goes', () => {
  const at = patient;
  const state = async (session: WireSession, id: string) =>
    (await session.result(`g-${Math.random()}`, 'get_job', { job_id: id })).structuredContent?.state;

  it('stays when its stream is lost, and is answered on the resumed stream', async () => {
    const { site, http } = at();
    const session = await init(http, WILLING);
    const ledger = site.ledger();
    const call = await session.call('c', 'asking', { ...ONE, ledger: ledger.path }, 'tok');
    const first = await call.message(({ method }) => method === 'notifications/progress');
    expect(first).toBeDefined();
    const before = call.events.find(({ message }) => message?.method === 'notifications/progress')?.id ?? '';
    await question(call, 'question a');
    call.destroy();
    await call.ended;
    // It is put as soon as it is stored, a moment before its job lets go of the worker.
    const id = await jobIn(ledger);
    await until(
      () => state(session, id),
      (now) => now === 'parked',
      { what: 'the job to be parked' },
    );
    const resumed = await session.stream(before);
    await answerTo(session, await question(resumed, 'question a'), says('back again'));
    expect(repliesIn((await resumed.response('c')).result)).toMatchObject([{ value: { text: 'back again' } }]);
    expect(questionsOn(resumed)).toHaveLength(1);
  });

  it('that is put while no stream is open waits for the one that is resumed', async () => {
    const session = await init(at().http, WILLING);
    const call = await session.call('c', 'quiz', { rounds: [[{ key: 'a' }], [{ key: 'b' }], [{ key: 'c' }]] }, 'tok');
    const asked = await question(call, 'question a');
    const seen = call.events.at(-1)?.id ?? '';
    call.destroy();
    await call.ended;
    await answerTo(session, asked, says('one'));
    const resumed = await session.stream(seen);
    await answerTo(session, await question(resumed, 'question b'), says('two'));
    await answerTo(session, await question(resumed, 'question c'), says('three'));
    expect(repliesIn((await resumed.response('c')).result)).toHaveLength(3);
    expect(questionsOn(resumed)).toHaveLength(2);
  });

  it.each(['in its session', 'in another session'])(
    'stays when its stream is lost, and is put to the next call %s that attaches',
    async (where) => {
      const { site, http } = at();
      const session = await init(http, WILLING);
      const ledger = site.ledger();
      const args = { rounds: [[{ key: 'a' }], [{ key: 'b' }]], ledger: ledger.path, idempotency_key: `again ${where}` };
      const call = await session.call('c', 'quiz', args);
      await question(call, 'question a');
      call.destroy();
      await call.ended;
      const again = where === 'in its session' ? session : await init(http, WILLING);
      const second = await again.call('d', 'quiz', args);
      await answerTo(again, await question(second, 'question a'), says('one'));
      await answerTo(again, await question(second, 'question b'), says('two'));
      expect(repliesIn((await second.response('d')).result)).toMatchObject([
        { value: { text: 'one' } },
        { value: { text: 'two' } },
      ]);
      expect(questionsOn(second)).toHaveLength(2);
      expect((await ledger.lines()).filter((line) => line.startsWith('done'))).toHaveLength(1);
    },
  );

  it('moves to a second call that attaches while the first still listens, which is told that it is withdrawn', async () => {
    const { http } = at();
    const [one, two] = await Promise.all([init(http, WILLING), init(http, WILLING)]);
    const args = { rounds: [[{ key: 'a' }], [{ key: 'b' }]], idempotency_key: 'both' };
    const first = await one.call('c', 'quiz', args);
    const old = await question(first, 'question a');
    const second = await two.call('c', 'quiz', args);
    const asked = await question(second, 'question a');
    await answerTo(two, asked, says('from the second'));
    await until(
      () => withdrawnOn(first),
      (ids) => ids.includes(old.id),
      { what: 'the withdrawal of the old question' },
    );
    await answerTo(one, old, says('from the first'));
    const open = [first, second];
    const holder = () => open.findIndex((stream) => questionsOn(stream).length === 2);
    const index = await until(holder, (found) => found >= 0, { what: 'the second question on one of the streams' });
    const [stream, session] = index === 0 ? [first, one] : [second, two];
    await answerTo(session, await question(stream, 'question b'), says('b'));
    for (const call of open) {
      const got = repliesIn((await call.response('c')).result);
      expect(got).toMatchObject([{ value: { text: 'from the second' } }, { value: { text: 'b' } }]);
    }
    expect([...questionsOn(first), ...questionsOn(second)]).toHaveLength(3);
  });

  it('stays with the first call when the one that attaches cannot be asked', async () => {
    const { http } = at();
    const [one, two] = await Promise.all([init(http, WILLING), init(http, { roots: {} })]);
    const args = { rounds: [[{ key: 'a' }], [{ key: 'b' }]], idempotency_key: 'unable' };
    const first = await one.call('c', 'quiz', args);
    const asked = await question(first, 'question a');
    const second = await two.call('c', 'quiz', args, 'tok');
    await second.message(({ method }) => method === 'notifications/progress');
    await answerTo(one, asked, says('one'));
    await answerTo(one, await question(first, 'question b'), says('two'));
    expect(repliesIn((await second.response('c')).result)).toMatchObject([
      { value: { text: 'one' } },
      { value: { text: 'two' } },
    ]);
    expect([questionsOn(first).length, withdrawnOn(first), questionsOn(second)]).toEqual([2, [], []]);
  });

  it('is not put before the client has said that it is ready', async () => {
    const { site, http } = at();
    const opened = await post(http, initializeBody(WILLING, '2025-11-25'));
    const headers = {
      'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
      'MCP-Protocol-Version': '2025-11-25',
    };
    const ledger = site.ledger();
    const call = await post(http, callBody('c', 'asking', { ...ONE, ledger: ledger.path }), headers);
    const id = await jobIn(ledger);
    const other = await init(http);
    await until(
      () => state(other, id),
      (now) => now === 'parked',
      { what: 'the question to be open' },
    );
    expect(questionsOn(call)).toEqual([]);
    await post(http, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    const asked = await question(call, 'question a');
    await post(http, { jsonrpc: '2.0', id: asked.id, result: says('ready') }, headers);
    expect(repliesIn((await call.response('c')).result)).toMatchObject([{ value: { text: 'ready' } }]);
  });

  it('for good, by DELETE, is answered so, and the job ends as its handler decides', async () => {
    const { site, http } = at();
    const [session, other] = await Promise.all([init(http, WILLING), init(http)]);
    const ledger = site.ledger();
    const call = await session.call('c', 'asking', { ...ONE, ledger: ledger.path });
    await question(call, 'question a');
    expect((await session.delete()).status).toBe(200);
    const id = await jobIn(ledger);
    await until(
      () => state(other, id),
      (now) => now === 'completed',
      { what: 'the job to end' },
    );
    const { structuredContent } = await other.result('r', 'get_job', { job_id: id });
    expect(JSON.parse(String(Reflect.get(Object(structuredContent?.result), 'text')))).toEqual([
      { kind: 'client_gone' },
    ]);
  });
});
