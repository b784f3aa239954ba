/** What is counted on Redis: once for what happened, whoever says it again, and never less than before. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createBullQueue } from '../../src/bullmq/queue.js';
import { AppError } from '../../src/core/errors.js';
import type { JobSeed } from '../../src/core/job.js';
import { partId } from '../../src/core/part.js';
import { counterField, type ProcessReport, TOTALS_CAP } from '../../src/core/totals.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION, type Retention } from '../../src/redis/context.js';
import { createInputMailbox } from '../../src/redis/input-mailbox.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createTotals } from '../../src/redis/totals-store.js';
import { cancelled, completed, failed, faultOf, seedOf } from '../support/job-seeds.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { addressOf, bullOver } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

/** One installation, with its totals as text: `jobs_ended echo analysis completed=1`. */
function setup(changed: Partial<Retention> = {}) {
  const namespace = `test-${randomUUID()}`;
  const redis = connectRedis(addressOf(server), 'work');
  const keys = createKeys(namespace);
  const context = { redis, keys, retention: { ...DEFAULT_RETENTION, ...changed } };
  const store = createJobStore(context);
  const queue = createBullQueue(bullOver(context), ['analysis', 'review']);
  const totals = createTotals(context);
  onTestFinished(async () => {
    await refuseLeaks({ redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix });
    await queue.close();
    await redis.unlink('none', ...(await keysBelow(redis, `{${namespace}}`)));
    closeRedis(redis);
  });
  const counted = async (...starts: string[]): Promise<string[]> => {
    const { totals: all } = await totals.read();
    const found = [...all].map(([field, count]) => `${field}=${count}`);
    return found.filter((one) => starts.some((start) => one.startsWith(start))).sort();
  };
  const created = async (more: Partial<JobSeed> = {}) => {
    const seed = seedOf(more);
    await store.create(seed);
    return seed;
  };
  return { redis, keys, store, queue, totals, counted, created, mailbox: createInputMailbox(context) };
}

const on = (run: string, workerId = 'w1') => ({ workerId, run });
/** How many durations of a kind were counted, whatever their length. */
const durations = (found: readonly string[]) =>
  found.filter((one) => !one.includes(':sum')).reduce((sum, one) => sum + Number(one.split('=')[1]), 0);
const REPORT: ProcessReport = {
  role: 'worker',
  loopLagMs: 3,
  roundTripMs: 1,
  residentBytes: 5,
  calls: 0,
  streams: 0,
};

it('an end is counted once, with the run and the whole job, however often it is said', async () => {
  const { store, created, counted } = setup();
  const seed = await created();
  await store.begin(seed, on('r1'));
  await store.begin(seed, on('r1'));
  await store.end(seed.id, completed(), 'r1');
  await store.end(seed.id, completed(), 'r1');
  await store.create(seed);
  expect(await counted('jobs_')).toEqual(['jobs_accepted echo analysis=1', 'jobs_ended echo analysis completed=1']);
  for (const kind of ['job_wait:', 'job:', 'run:']) expect(durations(await counted(kind)), kind).toBe(1);
});

it('a failure is counted by its code, a cancel by the state it met', async () => {
  const { store, created, counted } = setup();
  const [broken, waiting, running, parked] = [await created(), await created(), await created(), await created()];
  await store.begin(broken, on('r1'));
  await store.end(broken.id, failed(), 'r1');
  await store.end(waiting.id, cancelled());
  await store.begin(running, on('r2'));
  await store.end(running.id, cancelled());
  await store.begin(parked, on('r3'));
  await store.leave(parked.id, 'r3', 'parked');
  await store.end(parked.id, cancelled());
  await store.end(parked.id, cancelled());
  expect(await counted('jobs_failed', 'jobs_cancelled', 'jobs_ended')).toEqual([
    'jobs_cancelled active=1',
    'jobs_cancelled parked=1',
    'jobs_cancelled waiting=1',
    'jobs_ended echo analysis cancelled=3',
    'jobs_ended echo analysis failed=1',
    'jobs_failed echo handler_failed=1',
  ]);
});

it('a cancelled run counts once how long it went on, when it is over', async () => {
  const { store, created, counted, totals } = setup();
  const seed = await created();
  await store.begin(seed, on('r1'));
  await totals.letGo(seed.id);
  expect(await counted('cancel:')).toEqual([]);
  await store.end(seed.id, cancelled());
  await totals.letGo(seed.id);
  await totals.letGo(seed.id);
  expect(durations(await counted('cancel:'))).toBe(1);
});

it('a retry, a dead worker and a second delivery are told apart', async () => {
  const { store, created, counted } = setup();
  const [retried, revoked, redelivered] = [await created(), await created(), await created()];
  const fault = faultOf(1, new AppError('queue_unavailable', 'away'));
  await store.begin(retried, on('r1'));
  await store.leave(retried.id, 'r1', 'delayed', { fault });
  await store.leave(retried.id, 'r1', 'delayed', { fault });
  await store.begin(revoked, on('r2', 'dead'));
  await store.revoke(revoked.id, 'dead');
  await store.revoke(revoked.id, 'dead');
  await store.begin(redelivered, on('r3'));
  await store.begin(redelivered, on('r4', 'w2'));
  expect(await counted('retries', 'runs_lost')).toEqual([
    'retries echo=1',
    'runs_lost recovery=1',
    'runs_lost redelivery=1',
  ]);
});

it('a part counts as a part, and its job as one job', async () => {
  const { store, counted, created } = setup();
  const job = await created();
  const share = { from: 0, to: 1, total: 1, outOf: 1, before: '', after: '' };
  const key = 'count/0';
  const part = seedOf({
    id: partId(job.id, key),
    tool: 'count_part',
    partOf: { id: job.id, key, group: 'count', share },
  });
  await store.create(part);
  await store.begin(part, on('r1'));
  await store.end(part.id, completed(), 'r1');
  expect(await counted('jobs_', 'parts_', 'job_wait', 'job:')).toEqual([
    'jobs_accepted echo analysis=1',
    'parts_ended count_part completed=1',
  ]);
});

it('a submission that is refused is counted by the limit it met', async () => {
  const { store, created, counted } = setup({ jobsPerPrincipal: 1 });
  await created();
  expect(await store.create(seedOf())).toEqual({ kind: 'full', what: 'caller' });
  expect(await counted('jobs_')).toEqual(['jobs_accepted echo analysis=1', 'jobs_refused caller=1']);
});

it('a question is counted when it is asked, answered and answered too late, but not when a reply is only said again', async () => {
  const { store, created, counted, mailbox } = setup();
  const seed = await created();
  await store.begin(seed, on('r1'));
  const question = { key: 'q', kind: 'sampling', request: {}, fingerprint: 'f', deadlineMs: Date.now() + 1e5 } as const;
  await mailbox.ask(seed.id, 'r1', [question]);
  await mailbox.ask(seed.id, 'r1', [question]);
  const reply = { kind: 'answered', value: 'yes' } as const;
  expect(await mailbox.answer(seed.id, 'q', reply)).toBe('stored');
  expect(await mailbox.answer(seed.id, 'q', reply)).toBe('late');
  expect(await mailbox.answer(seed.id, 'q', { kind: 'timed_out' })).toBe('late');
  expect(await counted('questions', 'answers')).toEqual([
    'answers_late sampling=1',
    'questions_answered sampling answered=1',
    'questions_asked sampling=1',
  ]);
  expect(durations(await counted('question:'))).toBe(1);
});

it('the files of a completed scan are counted by whether they were read', async () => {
  const { store, created, counted } = setup();
  const seed = await created();
  await store.begin(seed, on('r1'));
  await store.end(seed.id, { state: 'completed', result: { files_scanned: 10, from_cache: 7 } }, 'r1');
  expect(await counted('scanned')).toEqual(['scanned_files cache=7', 'scanned_files read=3']);
});

it('jobs stand where they are, and leave when they go on', async () => {
  const { store, queue, created, totals, redis, keys } = setup();
  const jobs = async () => {
    const { waiting, parked } = await totals.read();
    return Object.fromEntries([...waiting, ...parked].flatMap(([name, { jobs: n }]) => (n > 0 ? [[name, n]] : [])));
  };
  const [one, other] = [await created(), await created({ queue: 'review' })];
  expect(await jobs()).toEqual({ analysis: 1, review: 1 });
  await store.begin(one, on('r1'));
  expect(await jobs()).toEqual({ review: 1 });
  await store.leave(one.id, 'r1', 'parked');
  await store.begin(other, on('r2'));
  await store.leave(other.id, 'r2', 'waiting');
  expect(await jobs()).toEqual({ review: 1, client: 1 });
  // One that is woken is placed in its queue again, and waits for a slot from then on.
  await queue.add(one);
  await expect.poll(jobs, { timeout: 20_000 }).toEqual({ analysis: 1, review: 1 });
  await store.end(one.id, cancelled());
  await redis.del(keys.record(other.id));
  expect(await jobs()).toEqual({});
});

it('the longest wait is that of the job which waits longest', async () => {
  const { created, totals, redis, keys } = setup();
  const [first] = [await created(), await created()];
  await redis.zincrby(`${keys.totals().replace('totals', 'standing:waiting:analysis')}`, -60_000, first.id);
  const standing = (await totals.read()).waiting.get('analysis');
  expect(standing?.jobs).toBe(2);
  expect(standing?.oldestMs).toBeGreaterThanOrEqual(60_000);
  expect(standing?.oldestMs).toBeLessThan(70_000);
});

it('what a process counted is added once, and stays when it is gone', async () => {
  const { totals, counted } = setup();
  const counts = new Map([[counterField('repairs', { repair: 'wake' }), 2]]);
  const told = { process: 'p1', batch: 'b1', report: REPORT, counts };
  await totals.publish(told);
  await totals.publish(told);
  await totals.publish({ ...told, batch: 'b2' });
  expect((await totals.read()).processes).toEqual([REPORT]);
  await totals.leave('p1');
  expect((await totals.read()).processes).toEqual([]);
  expect(await counted('repairs')).toEqual(['repairs wake=4']);
});

it('labels without end do not fill the store', async () => {
  const { totals, counted, created } = setup();
  const counts = new Map(Array.from({ length: TOTALS_CAP }, (_, at) => [`retries tool_${at}`, 1] as const));
  await totals.publish({ process: 'p1', batch: 'b1', report: REPORT, counts });
  await created();
  expect(await counted('jobs_accepted', 'dropped')).toEqual(['dropped=1']);
});
