/** Jobs that are passed on: who was asked, when nobody is left, and what callers hear of it. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createPasses } from '../../src/redis/passes.js';
import { cancelled, seedOf } from '../support/job-seeds.js';
import { addressOf } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await testRedis();
  redis = connectRedis(addressOf(server), 'work');
});
afterAll(async () => {
  closeRedis(redis);
  await server.stop();
});

const event = { type: 'log', level: 'warning', logger: 'longhaul', data: 'passed on' } as const;

async function setup() {
  const context = { redis, keys: createKeys(`test-${randomUUID()}`), retention: DEFAULT_RETENTION };
  const store = createJobStore(context);
  const seed = seedOf();
  await store.create(seed);
  return { ...context, store, seed, passes: createPasses(context) };
}

it('asks everybody that is there, also who came late, and then nobody is left', async () => {
  const { passes, seed } = await setup();
  const pass = (workerId: string, ...peers: string[]) => passes.pass(seed.id, { workerId, peers });
  expect(await pass('a', 'a', 'b')).toEqual({ kind: 'passed', times: 1 });
  expect(await pass('a', 'a', 'b')).toEqual({ kind: 'passed', times: 2 });
  expect(await pass('b', 'a', 'b', 'c')).toEqual({ kind: 'passed', times: 3 });
  expect(await pass('c', 'a', 'b', 'c')).toEqual({ kind: 'nobody', asked: 3, begun: false });
  expect(await pass('c', 'c')).toEqual({ kind: 'nobody', asked: 3, begun: false });
});

it('tells callers once, spends no attempt, and leaves the job waiting', async () => {
  const { passes, seed, store, keys } = await setup();
  for (const workerId of ['a', 'b', 'a']) await passes.pass(seed.id, { workerId, peers: ['a', 'b', 'c'], event });
  expect(await redis.xlen(keys.events(seed.id))).toBe(1);
  expect(await store.get(seed.id)).toMatchObject({ state: 'waiting', attempt: 0, crashes: 0 });
});

it('says of a job that ran before that it did, and of one that ended that it has', async () => {
  const { passes, seed, store } = await setup();
  await store.begin(seed, { workerId: 'a', run: 'r1' });
  expect(await passes.pass(seed.id, { workerId: 'b', peers: ['b'] })).toMatchObject({ kind: 'nobody', begun: true });
  await store.end(seed.id, cancelled());
  expect(await passes.pass(seed.id, { workerId: 'b', peers: ['c'] })).toEqual({ kind: 'ended' });
});

it('makes no record for a job whose record is gone', async () => {
  const { passes, keys } = await setup();
  const gone = seedOf();
  expect(await passes.pass(gone.id, { workerId: 'a', peers: ['b'] })).toEqual({ kind: 'passed', times: 1 });
  expect(await redis.exists(keys.record(gone.id), keys.events(gone.id))).toBe(0);
});
