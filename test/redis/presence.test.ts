/** The beats of workers on a real Redis: who is there, who fell silent, and who takes what a dead one held. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { WorkerReport } from '../../src/core/presence.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createPresence } from '../../src/redis/presence.js';
import { until } from '../support/gate.js';
import { keysBelow, leakedKeys } from '../support/key-checker.js';
import { addressOf } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

const report = (id: string, more: Partial<WorkerReport> = {}): WorkerReport => ({
  id,
  host: 'h',
  pid: 1,
  version: '0',
  recordVersion: 1,
  queues: ['analysis'],
  slots: 2,
  startedAtMs: 1,
  jobs: [],
  blockedMs: 0,
  ...more,
});

function setup() {
  const redis = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(redis));
  const namespace = `test-${randomUUID()}`;
  const keys = createKeys(namespace);
  return {
    redis,
    keys,
    base: `{${namespace}}`,
    presence: createPresence({ redis, keys, retention: DEFAULT_RETENTION }),
  };
}

it('a worker is seen as it told of itself last, until it leaves', async () => {
  const { presence } = setup();
  await presence.beat(report('w2'));
  await presence.beat(report('w1', { jobs: ['job_a'] }));
  await presence.beat(report('w2', { blockedMs: 5_000 }));
  expect(await presence.workers()).toEqual([
    { ...report('w1', { jobs: ['job_a'] }), beatAtMs: expect.any(Number) },
    { ...report('w2', { blockedMs: 5_000 }), beatAtMs: expect.any(Number) },
  ]);
  expect(await presence.isKnown('w1')).toBe(true);
  await presence.leave('w1');
  expect((await presence.workers()).map(({ id }) => id)).toEqual(['w2']);
  expect(await presence.isKnown('w1')).toBe(false);
});

it('only who has not beaten for the whole silence is silent, and nobody is who never beat', async () => {
  const { presence } = setup();
  await presence.beat(report('w1'));
  expect(await presence.silent(60_000)).toEqual([]);
  await until(
    () => presence.silent(50),
    (silent) => silent.includes('w1'),
    { what: 'the worker to be silent for 50 ms' },
  );
  await presence.beat(report('w1'));
  expect(await presence.silent(60_000)).toEqual([]);
});

it('of many that find one dead, one takes its jobs', async () => {
  const { presence } = setup();
  const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => presence.claim('w1', `finder ${index}`)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

it('what a newer version tells in another form hides nobody else', async () => {
  const { presence, redis, keys } = setup();
  await presence.beat(report('w1'));
  await presence.beat(report('w2'));
  await redis.set(keys.worker('w2'), '{"id":"w2","host":{"name":"h"}}', 'PX', 60_000);
  expect((await presence.workers()).map(({ id }) => id)).toEqual(['w1']);
});

it('every key of it expires', async () => {
  const { presence, redis, keys, base } = setup();
  await presence.beat(report('w1'));
  await presence.silent(1_000);
  await presence.claim('w1', 'me');
  expect(await keysBelow(redis, base)).toHaveLength(4);
  expect(await leakedKeys({ redis, base, queuePrefix: keys.queuePrefix })).toEqual([]);
});
