/** A Redis that is down for longer than any lock, with a job in every state and calls arriving: nothing is lost, and nothing runs twice. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pause } from '../../src/core/lifecycle.js';
import { until } from '../support/gate.js';
import { init, jobIdOf, type Reply, textOf, type WireResult, type WireSession } from '../support/http-wire.js';
import { says, WILLING } from '../support/questions-wire.js';
import { type RedisServer, redisServer } from '../support/redis-server.js';
import { type HttpServer, openSite, type Site, type SiteProcess } from '../support/site.js';

/**
 * Far shorter than the outage, as the defaults are to one of half a minute; `npm run chaos` has that one. But longer than a machine ten
 * times busier than ours leaves a worker without a turn.
 */
const QUICK = { LONGHAUL_WORKER_SILENCE_SECONDS: '5', LONGHAUL_LOCK_SECONDS: '5' };
const OUTAGE_MS = 8_000;
/** Far more than two answers without Redis take; calls that waited for it would all take the outage, and the busiest machine holds up some. */
const PROMPT_MS = 3_000;
const LIMIT_MS = 60_000;

let redis: RedisServer;
let site: Site;
let workers: SiteProcess;
let session: WireSession;
beforeAll(async () => {
  redis = await redisServer({ appendonly: 'yes', appendfsync: 'always' });
  site = await openSite();
  const env = { ...QUICK, LONGHAUL_REDIS_URL: `redis://${redis.host}`, LONGHAUL_CONCURRENCY: 'analysis=1,review=1' };
  const server = await site.http({ env, workers: 0 });
  workers = await site.worker({ env, workers: 2 });
  session = await opened(server);
});
afterAll(async () => {
  await site?.close();
  await redis?.stop();
});

/** Opens a session as often as it takes: a Redis that writes each change to a busy disk may be too late to store it. */
async function opened(server: HttpServer): Promise<WireSession> {
  const trying = () => init(server, WILLING).catch((error: Error) => error);
  const opening = await until(trying, (reply) => !String(reply).includes('Send initialize again'), {
    what: 'a session',
  });
  if (opening instanceof Error) throw opening;
  return opening;
}

/** Calls a tool whose progress is of whole numbers, and waits until its job tells of it: on a busy machine a call hears of the queue first. */
async function begin(id: string, tool: string, args: object): Promise<{ readonly call: Reply; readonly job: string }> {
  const call = await session.call(id, tool, args, id);
  const { params } = await call.message(({ params: told }) => Number(told?.progress) >= 1, LIMIT_MS);
  return { call, job: String(Object(params?._meta)['longhaul/jobId']) };
}

async function jobOf(id: string): Promise<WireResult['structuredContent']> {
  return (await session.result(`job ${Math.random()}`, 'get_job', { job_id: id })).structuredContent;
}

const isRefused = ({ _meta }: WireResult) => Object(_meta?.['longhaul/error']).code === 'queue_unavailable';

/** Repeats a call until it is served. */
function served(act: () => Promise<WireResult>): Promise<WireResult> {
  return until(act, (result) => !isRefused(result), { what: 'a call to be served', limitMs: LIMIT_MS });
}

it('neither loses nor doubles a job that is active, parked, delayed or queued, or is called for meanwhile', async () => {
  const [ledger, ending, going, code] = [site.ledger(), site.gate(), site.gate(), join(site.root, 'code')];
  await mkdir(code);
  await writeFile(join(code, 'a.js'), 'let a;\n');
  const gated = (gate: string) => ({ gate, ledger: ledger.path, progress: [10] });
  const keyed = () =>
    session.result(`key ${Math.random()}`, 'analyze_codebase', { path: code, idempotency_key: 'once' });

  const delayed = await session.call('delayed', 'flaky', { ledger: ledger.path }, 'delayed');
  const retry = await delayed.message(({ params }) => String(params?.data).includes('tried again'), LIMIT_MS);
  expect(retry.method).toBe('notifications/message');
  const parked = await begin('parked', 'asking', { questions: [{ key: 'a', kind: 'sampling' }], ledger: ledger.path });
  const question = await parked.call.message(({ method }) => method === 'sampling/createMessage', LIMIT_MS);
  await until(
    () => jobOf(parked.job),
    (job) => job?.state === 'parked',
    { what: 'a parked job' },
  );
  const ends = await begin('ends', 'gated', gated(ending.path));
  const goes = await begin('goes', 'gated', gated(going.path));
  const queued = await session.call('queued', 'gated', gated(going.path), 'queued');
  const place = await queued.message(({ params }) => String(params?.message).startsWith('queued'), LIMIT_MS);
  expect(place.params?.message).toBe('queued, position 1');

  await redis.kill();
  const downAtMs = performance.now();
  const tookMs: number[] = [];
  await ending.open();
  await ledger.line(`end ${ends.job}`);
  while (performance.now() - downAtMs < OUTAGE_MS) {
    const askedAtMs = performance.now();
    expect([await keyed(), await session.result('job', 'get_job', { job_id: goes.job })].map(isRefused)).toEqual([
      true,
      true,
    ]);
    tookMs.push(performance.now() - askedAtMs);
    await pause(500);
  }
  expect(Math.min(...tookMs)).toBeLessThan(PROMPT_MS);
  await redis.restart();

  const answer = () => session.answer(question.id, says('an answer'));
  await until(answer, ({ status }) => status < 500, { what: 'an answer to be taken', limitMs: LIMIT_MS });
  expect(textOf((await ends.call.response('ends', LIMIT_MS)).result)).toContain('opened');
  await going.open();
  for (const call of [goes.call, queued]) {
    const id = call === queued ? 'queued' : 'goes';
    const { result } = await call.response(id, LIMIT_MS);
    expect(textOf(result)).toContain('opened');
    expect(await jobOf(jobIdOf(result))).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 0 });
  }
  expect(textOf((await parked.call.response('parked', LIMIT_MS)).result)).toContain('an answer');
  const [first, second] = [await served(keyed), await served(keyed)];
  expect(jobIdOf(first)).toBe(jobIdOf(second));

  const { structuredContent } = await session.result('list', 'list_jobs', { limit: 50 });
  const jobs = (structuredContent?.jobs ?? []) as { job_id: string; tool: string; state: string }[];
  const flaky = jobs.find(({ tool }) => tool === 'flaky');
  const states = jobs.filter((job) => job !== flaky).map(({ state }) => state);
  expect(states).toEqual(['completed', 'completed', 'completed', 'completed', 'completed']);
  // Each gated job began and ended once; the asking one ran once for each side of its question.
  const lines = await ledger.lines();
  const isFlaky = (line: string) => line.startsWith(`start ${flaky?.job_id} `);
  const words = lines.filter((line) => !isFlaky(line)).map((line) => line.split(' ')[0]);
  expect(words.sort()).toEqual(['done', 'end', 'end', 'end', 'run', 'run', 'start', 'start', 'start']);
  // The flaky one is delayed for half a minute: a slow machine may have come to its next attempts, but to none twice.
  const attempts = lines.filter(isFlaky);
  expect(attempts.length).toBeGreaterThan(0);
  expect(attempts).toEqual(attempts.map((_, index) => `start ${flaky?.job_id} attempt ${index + 1}`));
  expect(workers.stderr()).not.toContain('a worker died');
}, 240_000);
