/** What waits to be told outside: written with the outcome, taken by one at a time, and forgotten when it is told. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import type { JobSeed, Outcome } from '../../src/core/job.js';
import { partId } from '../../src/core/part.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createOutbox } from '../../src/redis/outbox.js';
import { createTotals } from '../../src/redis/totals-store.js';
import { bodyOf, createNotifier, settlementOf } from '../../src/webhook/notifier.js';
import { signed } from '../../src/webhook/signature.js';
import { completed, failed, seedOf } from '../support/job-seeds.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { addressOf } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { type Answer, startReceiver } from './receiver.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

const LEASE_MS = 60_000;
/** A notifier looks every second, on machines that others use as well. */
const SOON = { timeout: 20_000 };
const KEY = Buffer.alloc(32, 7);
const log = { debug() {}, info() {}, warn() {}, error() {} };

async function setup() {
  const namespace = `test-${randomUUID()}`;
  const redis = connectRedis(addressOf(server), 'work');
  const keys = createKeys(namespace);
  const context = { redis, keys, retention: DEFAULT_RETENTION };
  const [store, outbox, totals] = [createJobStore(context), createOutbox(context), createTotals(context)];
  onTestFinished(async () => {
    await refuseLeaks({ redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix });
    await redis.unlink('none', ...(await keysBelow(redis, `{${namespace}}`)));
    closeRedis(redis);
  });
  const ended = async (outcome: Outcome, more: Partial<JobSeed> = {}) => {
    const seed = seedOf(more);
    await store.create(seed);
    await store.begin(seed, { workerId: 'w1', run: 'r1' });
    await store.end(seed.id, outcome, 'r1');
    return seed;
  };
  const waits = () => redis.zcard(keys.outbox().due);
  /** Makes everything due that was put off, and every lease end: the tests wait for no clock. */
  const passTime = async () => {
    const ids = await redis.zrange(keys.outbox().due, '0', '-1');
    for (const id of ids) await redis.zadd(keys.outbox().due, 0, id);
  };
  const counted = async (result: string) => (await totals.read()).totals.get(`notifications ${result}`) ?? 0;
  return { redis, keys, outbox, ended, waits, passTime, counted };
}

/** A notifier at work until the test ends. */
async function notifying(outbox: Awaited<ReturnType<typeof setup>>['outbox'], answers: readonly Answer[] = []) {
  const receiver = await startReceiver(answers);
  const webhook = { url: receiver.url, keys: [KEY], timeoutMs: 1_000, anyAddress: true };
  const notifier = createNotifier({ webhook, log, agent: 'longhaul/1', outbox: () => Promise.resolve(outbox) });
  await notifier.start();
  onTestFinished(() => notifier.stop(0));
  return { ...receiver, notifier };
}

it('collects nothing until somebody delivers, and nothing of parts', async () => {
  const { ended, outbox, waits } = await setup();
  await ended(completed());
  expect(await outbox.take(10, LEASE_MS)).toEqual([]);
  const owner = await ended(completed());
  const partOf = {
    id: owner.id,
    key: 'k',
    group: 'g',
    share: { from: 0, to: 1, outOf: 1, total: 1, before: '', after: '' },
  };
  await ended(completed(), { id: partId(owner.id, 'k'), partOf });
  expect(await waits()).toBe(1);
});

it('tells of an end without arguments, result or owner', async () => {
  const { ended, outbox } = await setup();
  await outbox.take(1, LEASE_MS);
  const seed = await ended(failed('the secret is s3cret'), { args: { key: 's3cret' }, principal: 'ottilie' });
  const [taken] = await outbox.take(10, LEASE_MS);
  const body = bodyOf(taken?.notification ?? expect.fail('nothing was collected'));
  expect(JSON.parse(body)).toMatchObject({
    type: 'job.failed',
    data: { job_id: seed.id, tool: seed.tool, state: 'failed', error_code: 'handler_failed', attempt: 1 },
  });
  expect(Object.keys(JSON.parse(body).data)).toEqual([
    'job_id',
    'tool',
    'state',
    'error_code',
    'attempt',
    'worker_crashes',
    'created_at',
    'started_at',
    'ended_at',
  ]);
  // Ids are made of letters, too, but of none of these.
  expect(body).not.toMatch(/s3cret|ottilie/);
});

it('gives a notification to one at a time, again when its lease is over, and heeds only the latest try', async () => {
  const { ended, outbox, waits, passTime, counted } = await setup();
  await outbox.take(1, LEASE_MS);
  const { id } = await ended(completed());
  expect(await outbox.take(10, LEASE_MS)).toMatchObject([{ attempt: 1, notification: { id } }]);
  expect(await outbox.take(10, LEASE_MS)).toEqual([]);
  await passTime();
  expect(await outbox.take(10, LEASE_MS)).toMatchObject([{ attempt: 2 }]);
  await outbox.settle(id, 1, { kind: 'delivered' });
  expect(await waits()).toBe(1);
  await outbox.settle(id, 2, { kind: 'delivered' });
  await outbox.settle(id, 2, { kind: 'delivered' });
  expect([await waits(), await counted('delivered')]).toEqual([0, 1]);
});

it('sends again under the same id after errors, silence and a cut connection, and then no more', async () => {
  const { ended, outbox, waits, passTime, counted } = await setup();
  await outbox.take(1, LEASE_MS);
  const { received, count } = await notifying(outbox, [{ status: 500 }, 'hold', 'reset']);
  const { id } = await ended(completed());
  for (let tries = 1; tries <= 4; tries += 1) {
    await count(tries);
    await expect.poll(() => counted(tries === 4 ? 'delivered' : 'retry'), SOON).toBe(tries === 4 ? 1 : tries);
    await passTime();
  }
  expect(await waits()).toBe(0);
  expect(received).toHaveLength(4);
  for (const { headers, body } of received) {
    const { 'webhook-id': sent, 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers;
    expect(sent).toBe(`msg_${id.slice(4)}`);
    expect(signature).toBe(
      signed({ id: String(sent), body, atMs: Number(seconds) * 1_000 }, [KEY])['webhook-signature'],
    );
    const forged = signed({ id: String(sent), body: `${body} `, atMs: Number(seconds) * 1_000 }, [KEY]);
    expect(signature).not.toBe(forged['webhook-signature']);
  }
});

it('goes on where a notifier died in the middle of a try', async () => {
  const { ended, outbox, passTime, waits } = await setup();
  await outbox.take(1, LEASE_MS);
  const dying = await notifying(outbox, ['hold']);
  const { id } = await ended(completed());
  await dying.count(1);
  // No deadline: the try is cut off and nothing is settled, as when the process is killed.
  await dying.notifier.stop(0);
  expect(await waits()).toBe(1);
  await passTime();
  const next = await notifying(outbox);
  await next.count(1);
  await expect.poll(waits, SOON).toBe(0);
  expect(next.received[0]?.headers['webhook-id']).toBe(`msg_${id.slice(4)}`);
  expect(next.received[0]?.body).toBe(dying.received[0]?.body);
});

it('puts off longer each time, heeds what the receiver asks for, and gives up at last', () => {
  const answered = (status: number, retryAfterMs?: number) => ({ kind: 'answered', status, retryAfterMs }) as const;
  const delays = [1, 2, 3, 4, 5, 6, 14].map((attempt) => settlementOf(answered(500), attempt, () => 0.5));
  expect(delays.map((how) => how.kind === 'retry' && how.delayMs / 1_000)).toEqual([
    2, 10, 60, 300, 1_800, 3_600, 3_600,
  ]);
  expect(settlementOf(answered(500), 15)).toEqual({ kind: 'given_up' });
  expect(settlementOf(answered(410), 1)).toEqual({ kind: 'given_up' });
  expect(settlementOf(answered(429, 90_000), 1)).toEqual({ kind: 'retry', delayMs: 90_000 });
  expect(settlementOf(answered(503, 1e12), 1)).toEqual({ kind: 'retry', delayMs: 6 * 3_600_000 });
  expect(settlementOf({ kind: 'failed', why: new AppError('internal', 'x').message }, 1, () => 0)).toEqual({
    kind: 'retry',
    delayMs: 1_500,
  });
});

it('drops what finds no room, and counts that', async () => {
  const { redis, keys, ended, outbox, waits, counted } = await setup();
  await outbox.take(1, LEASE_MS);
  const fillers = Array.from({ length: 10_000 }, (_, at) => [Number.MAX_SAFE_INTEGER, `filler-${at}`]).flat();
  await redis.zadd(keys.outbox().due, ...fillers.map(String));
  await redis.pexpire(keys.outbox().due, LEASE_MS);
  await ended(completed());
  expect([await waits(), await counted('dropped')]).toEqual([10_000, 1]);
});
