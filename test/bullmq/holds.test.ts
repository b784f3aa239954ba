/** The locks of a worker's jobs on a real queue: kept, taken again, or lost for good. */
import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import { createHolds, type HeldJob } from '../../src/bullmq/holds.js';
import { createBullQueue } from '../../src/bullmq/queue.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf, bullOver } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

const LOCK_MS = 500_000;

/** A job that worker `w1` has taken, and what renews its lock. */
async function setup() {
  const connection = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(connection));
  const keys = createKeys(`test-${randomUUID()}`);
  const context = bullOver({ redis: connection, keys, retention: DEFAULT_RETENTION });
  const queue = createBullQueue(context, ['analysis']);
  const worker = (name: string) => {
    const made = new Worker('analysis', null, { connection, prefix: context.prefix, name, autorun: false });
    onTestFinished(() => made.close());
    return made;
  };
  const seed = seedOf();
  await queue.add(seed);
  await worker('w1').getNextJob('t1');
  const key = `${context.prefix}:analysis:${seed.id}:lock`;
  const holds = createHolds(connection, {
    prefix: context.prefix,
    queues: ['analysis'],
    workerId: 'w1',
    lockMs: LOCK_MS,
  });
  const held = { id: seed.id, queue: 'analysis', key, token: 't1' };
  return { connection, queue, worker, seed, key, holds, held };
}

it('a lock is renewed, and the job is not lost', async () => {
  const { connection, holds, held, key } = await setup();
  expect(await holds.renew([held])).toEqual([]);
  expect(await connection.pttl(key)).toBeGreaterThan(LOCK_MS / 2);
});

it('a lock that ended while nobody could take the job is taken again', async () => {
  const { connection, holds, held, key } = await setup();
  await connection.del(key);
  expect(await holds.renew([held])).toEqual([]);
  expect(await connection.get(key)).toBe('t1');
});

it('a job that was handed back is lost, whether it waits or is run by another', async () => {
  const { connection, queue, worker, holds, held, key } = await setup();
  await queue.handBack('w1', 'analysis');
  expect(await holds.renew([held])).toEqual([held]);
  expect(await connection.exists(key)).toBe(0);
  await worker('w2').getNextJob('t2');
  expect(await holds.renew([held])).toEqual([held]);
  expect(await connection.get(key)).toBe('t2');
  await connection.del(key);
  expect(await holds.renew([held])).toEqual([held]);
  expect(await connection.exists(key)).toBe(0);
});

it('a worker that stood still between taking a job and beginning it does not take it from its new holder', async () => {
  const { connection, queue, worker, seed, held } = await setup();
  const context = { redis: connection, keys: createKeys('test-late'), retention: DEFAULT_RETENTION };
  const store = createJobStore(context);
  await store.create(seed);
  await queue.handBack('w1', 'analysis');
  const { key } = held;
  const late = () => store.begin(seed, { workerId: 'w1', run: 'late', hold: { key, token: 't1' } });
  expect(await late()).toEqual({ kind: 'superseded' });
  await worker('w2').getNextJob('t2');
  await store.begin(seed, { workerId: 'w2', run: 'rightful', hold: { key, token: 't2' } });
  expect(await late()).toEqual({ kind: 'superseded' });
  expect(await store.get(seed.id)).toMatchObject({ state: 'active', workerId: 'w2', crashes: 0 });
});

it('the lock of a job that the worker has not heard of is renewed as well, and nobody else’s', async () => {
  const { connection, queue, worker, holds, key } = await setup();
  await queue.add(seedOf());
  const other = await worker('w2').getNextJob('t2');
  await holds.renewAll();
  expect(await connection.pttl(key)).toBeGreaterThan(LOCK_MS / 2);
  expect(await connection.pttl(key.replace(/job_\w+/, other?.id ?? ''))).toBeLessThan(LOCK_MS / 2);
});

it('a dead worker’s job whose lock has ended is handed back too, once', async () => {
  const { connection, queue, seed, key } = await setup();
  await connection.del(key);
  const twice = await Promise.all([1, 2].map(() => queue.handBack('w1', 'analysis')));
  expect(twice.flat()).toEqual([seed.id]);
  expect(await queue.counts('analysis')).toEqual({ waiting: 1, active: 0, delayed: 0 });
});

it('a job that its worker may not let go of stays', async () => {
  const { queue } = await setup();
  expect(await queue.handBack('w1', 'analysis', async () => false)).toEqual([]);
  expect(await queue.counts('analysis')).toEqual({ waiting: 0, active: 1, delayed: 0 });
});

it('a job that has ended is not taken for the next one, which has its token', async () => {
  const connection = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(connection));
  const keys = createKeys(`test-${randomUUID()}`);
  const context = bullOver({ redis: connection, keys, retention: DEFAULT_RETENTION });
  const queue = createBullQueue(context, ['analysis']);
  const taken: HeldJob[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begun: (lost: AbortSignal) => void = () => {};
  const second = new Promise<AbortSignal>((resolve) => {
    begun = resolve;
  });
  const consumer = createBullConsumer(context, {
    queue: 'analysis',
    concurrency: 1,
    workerId: 'w1',
    onTaken: (held) => void taken.push(held),
    async run({ lost }) {
      if (taken.length === 2) {
        begun(lost);
        await gate;
      }
      return { kind: 'done' };
    },
  });
  onTestFinished(() => consumer.stop(1_000));
  for (const seed of [seedOf(), seedOf()]) await queue.add(seed);
  await consumer.start();
  const lost = await second;
  const [ended, running] = taken;
  if (!ended || !running) throw new Error('two jobs are taken by now');
  expect(ended.token).toBe(running.token);
  consumer.lose(ended);
  expect(lost.aborted).toBe(false);
  consumer.lose(running);
  expect(lost.aborted).toBe(true);
  open();
});
