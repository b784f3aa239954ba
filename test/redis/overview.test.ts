/** What operators see, on Redis: rows without arguments, pages that cost what they show, and what happened in a minute. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import type { JobSeed, JobState } from '../../src/core/job.js';
import { RATE_MINUTES } from '../../src/core/overview.js';
import { partId } from '../../src/core/part.js';
import { withRunning } from '../../src/core/presence.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createInputMailbox } from '../../src/redis/input-mailbox.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createOverview } from '../../src/redis/overview.js';
import { createSessionStore, DEFAULT_SESSION_LIMITS } from '../../src/redis/session-store.js';
import { cancelled, completed, failed, seedOf } from '../support/job-seeds.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { addressOf } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

function setup() {
  const namespace = `test-${randomUUID()}`;
  const redis = connectRedis(addressOf(server), 'work');
  const subscriber = connectRedis(addressOf(server), 'subscribe');
  const keys = createKeys(namespace);
  const context = { redis, keys, retention: DEFAULT_RETENTION };
  const store = createJobStore(context);
  onTestFinished(async () => {
    await refuseLeaks({ redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix });
    await redis.unlink('none', ...(await keysBelow(redis, `{${namespace}}`)));
    closeRedis(redis);
    closeRedis(subscriber);
  });
  const created = async (more: Partial<JobSeed> = {}) => {
    const seed = seedOf(more);
    await store.create(seed);
    return seed;
  };
  const begun = async (more: Partial<JobSeed> = {}) => {
    const seed = await created(more);
    await store.begin(seed, { workerId: 'w1', run: 'r1' });
    return seed;
  };
  const sessions = createSessionStore(context, subscriber, { ...DEFAULT_SESSION_LIMITS, idleMs: 60_000 });
  const mailbox = createInputMailbox(context);
  return { redis, keys, store, mailbox, sessions, created, begun, overview: createOverview(context) };
}

const question = (key: string, kind: 'sampling' | 'elicitation') => ({
  ...{ key, kind, request: { text: 'a long question' }, fingerprint: key, deadlineMs: Date.now() + 60_000 },
});

it('a worker is shown with what it runs by the records, whatever its last beat still names', async () => {
  const { overview, begun, store } = setup();
  const [ended, elsewhere, runs, untold] = [await begun(), await begun(), await begun(), await begun()];
  await store.end(ended.id, completed());
  await store.begin(elsewhere, { workerId: 'w2', run: 'r2' });
  const unread = newJobId();
  const beat = (id: string, jobs: readonly string[]) => ({
    ...{ id, host: 'h', pid: 1, version: '0', recordVersion: 1, queues: ['analysis'], slots: 2, startedAtMs: 1 },
    ...{ jobs: [...jobs], blockedMs: 0, beatAtMs: 1 },
  });
  const beating = [beat('w1', [ended.id, elsewhere.id, runs.id, unread]), beat('w2', [])];
  const [first, second] = await withRunning(beating, await overview.rows([untold.id]), overview.rows);
  expect(first?.jobs.toSorted()).toEqual([runs.id, unread, untold.id].toSorted());
  expect(second?.jobs).toEqual([elsewhere.id]);
});

it('a row tells of a job what fits a line: whose it is and where it stands, not what it was given', async () => {
  const { overview, begun, created, store } = setup();
  const seed = await begun({ principal: 'ann', session: 'a-session', args: { code: 'x'.repeat(1_000_000) } });
  const waiting = await created({ retryOf: seed.id });
  const missing = newJobId();
  const [first, second, ...more] = await overview.rows([seed.id, missing, 'no id', waiting.id]);
  expect(first).toMatchObject({
    ...{ id: seed.id, state: 'active', tool: 'echo', queue: 'analysis', attempt: 1, crashes: 0, workerId: 'w1' },
    ...{ brief: { principal: 'ann', session: 'a-session' }, createdAtMs: seed.createdAtMs, isAnswered: false },
  });
  expect(JSON.stringify(first).length).toBeLessThan(1_000);
  expect(second).toMatchObject({ id: waiting.id, state: 'waiting', brief: { retryOf: seed.id } });
  expect(more).toEqual([]);
  await store.end(seed.id, completed());
  expect((await overview.rows([seed.id]))[0]?.endedAtMs).toBeGreaterThan(0);
});

it('a row leaves out a time that is none, so that no one record keeps the others from being shown', async () => {
  const { overview, created, redis, keys } = setup();
  const { id } = await created();
  await redis.hset(keys.record(id), { createdAtMs: 'soon', untilMs: '', runAtMs: '9e99' });
  const [row] = await overview.rows([id]);
  expect(row).toMatchObject({ id, state: 'waiting' });
  for (const time of ['createdAtMs', 'untilMs', 'runAtMs']) expect(row).not.toHaveProperty(time);
});

it('a job that is parked says for what, and for which kinds of answer; answered or run again, it does not', async () => {
  const { overview, begun, store, mailbox } = setup();
  const seed = await begun();
  await mailbox.ask(seed.id, 'r1', [question('a', 'sampling'), question('b', 'elicitation')]);
  await store.leave(seed.id, 'r1', 'parked', { untilMs: 5_000 });
  expect((await overview.counts()).parked.get('client')).toBe(1);
  expect(await overview.parked('parts', 10)).toEqual([]);
  const parked = async () => (await overview.parked('client', 10))[0];
  expect(await parked()).toMatchObject({
    id: seed.id,
    awaits: 'client',
    asks: ['sampling', 'elicitation'],
    untilMs: 5_000,
  });
  expect((await parked())?.sinceMs).toBeGreaterThan(seed.createdAtMs - 5_000);
  await mailbox.answer(seed.id, 'a', { kind: 'declined' });
  expect(await parked()).toMatchObject({ isAnswered: true });
  await store.begin(seed, { workerId: 'w1', run: 'r2' });
  expect(await parked()).toBeUndefined();
  await mailbox.ask(seed.id, 'r2', [question('a', 'sampling'), question('b', 'elicitation')]);
  await store.leave(seed.id, 'r2', 'parked');
  expect((await parked())?.asks).toEqual(['elicitation']);
});

it('pages are of the newest first, and of some states only as far as one look reaches', async () => {
  const { overview, created, store } = setup();
  const seeds: JobSeed[] = [];
  for (let at = 0; at < 12; at += 1) seeds.push(await created({ createdAtMs: 1_000 + at }));
  await Promise.all([0, 5, 11].map((at) => store.end(seeds[at]?.id ?? newJobId(), cancelled())));
  const numbers = async (from: number, limit: number, states?: JobState[]) => {
    const page = await overview.recent({ from, limit, ...(states && { states }) });
    return [page.rows.map(({ createdAtMs = 0 }) => createdAtMs - 1_000), page.next];
  };
  expect(await numbers(0, 5)).toEqual([[11, 10, 9, 8, 7], 5]);
  expect(await numbers(10, 5)).toEqual([[1, 0], undefined]);
  expect(await numbers(0, 2, ['cancelled'])).toEqual([[11, 5], 7]);
  expect(await numbers(7, 2, ['cancelled'])).toEqual([[0], undefined]);
  expect((await overview.counts()).listed).toBe(12);
});

it('a minute counts each job once, whoever says it again, and its failures by code; parts are not counted', async () => {
  const { overview, begun, store } = setup();
  const [ok, bad, gone] = [await begun(), await begun(), await begun()];
  await store.begin(ok, { workerId: 'w1', run: 'r2' });
  for (const _ of [1, 2]) await store.end(ok.id, completed());
  await store.end(bad.id, failed());
  await store.end(gone.id, cancelled());
  const share = { from: 0, to: 1, total: 1, outOf: 1, before: '', after: '' };
  const part = await begun({ id: partId(ok.id, 'g/0'), partOf: { id: ok.id, key: 'g/0', group: 'g', share } });
  await store.end(part.id, failed());
  const minutes = await overview.minutes(RATE_MINUTES);
  expect(minutes).toHaveLength(RATE_MINUTES);
  const sum = (name: 'submitted' | 'started' | 'completed' | 'failed' | 'cancelled') =>
    minutes.reduce((all, minute) => all + minute[name], 0);
  expect([sum('submitted'), sum('started'), sum('completed'), sum('failed'), sum('cancelled')]).toEqual([
    3, 3, 1, 1, 1,
  ]);
  expect(minutes.flatMap(({ failures }) => failures)).toEqual([{ code: 'handler_failed', count: 1, latest: bad.id }]);
});

it('a session says whose it is, which client, and what is open in it', async () => {
  const { overview, sessions } = setup();
  const params = { protocolVersion: '2025-11-25', clientInfo: { name: 'claude <b>', version: '2.1' } };
  const record = { v: 1, principal: 'ann', protocolVersion: '2025-11-25', params };
  await sessions.create('s1', record, { initialized: true, rootsChanges: 0 });
  const call = { v: 1, id: 7, stream: 'x', method: 'tools/call' };
  await sessions.admit('s1', { hold: true, admission: { call, owner: 'me' } });
  expect(await overview.sessions(5)).toEqual([
    {
      ...{ session: 's1', principal: 'ann', protocolVersion: '2025-11-25', client: 'claude <b> 2.1' },
      ...{ heardAtMs: expect.any(Number), openCalls: 1, openQuestions: 0 },
    },
  ]);
});
