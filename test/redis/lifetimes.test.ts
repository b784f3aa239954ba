/** How long the keys of a job live, and that the checker of leaked keys can fail. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys, type Keys } from '../../src/redis/keys.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { type KeyScope, leakedKeys, refuseLeaks, refuseLeaksOfServer } from '../support/key-checker.js';
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

function setup(): { keys: Keys; scope: KeyScope } {
  const namespace = `test-${randomUUID()}`;
  const keys = createKeys(namespace);
  return { keys, scope: { redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix } };
}

describe('the lifetimes of a job’s keys', () => {
  it('what names a job outlives its record, even where results are kept longer than unfinished jobs', async () => {
    const { keys } = setup();
    const retention = { ...DEFAULT_RETENTION, activeTtlMs: 30_000, resultTtlMs: 60_000 };
    const store = createJobStore({ redis, keys, retention });
    const seed = seedOf();
    await store.create(seed, { key: 'k', argsFingerprint: 'args' });
    await store.end(seed.id, completed());
    const named = [keys.jobsOf(seed.principal), keys.allJobs(), keys.idempotency(seed.principal, 'k')];
    // All at one moment: what is asked for later has less left.
    const asked = [keys.record(seed.id), ...named].reduce((all, key) => all.pttl(key), redis.multi());
    const [recordMs = 0, ...othersMs] = ((await asked.exec()) ?? []).map(([, leftMs]) => Number(leftMs));
    expect(recordMs).toBeGreaterThan(0);
    expect(othersMs).toHaveLength(named.length);
    for (const leftMs of othersMs) expect(leftMs).toBeGreaterThanOrEqual(recordMs);
  });

  it('the listing keeps the newest jobs up to its cap', async () => {
    const { keys } = setup();
    const store = createJobStore({ redis, keys, retention: { ...DEFAULT_RETENTION, listedJobs: 3 } });
    const seeds = Array.from({ length: 5 }, (_, index) => seedOf({ createdAtMs: 1_000 + index }));
    for (const seed of seeds) await store.create(seed);
    const page = await store.list({ limit: 10 });
    expect(page.jobs.map((job) => job.seed.createdAtMs)).toEqual([1_004, 1_003, 1_002]);
  });
});

describe('a listing', () => {
  it('reads whole records, which may be large, for the jobs of its page only', async () => {
    const { keys } = setup();
    const store = createJobStore({ redis, keys, retention: DEFAULT_RETENTION });
    const args = { word: 'x'.repeat(1_000_000) };
    for (let at = 0; at < 20; at++)
      await store.create(seedOf({ args, createdAtMs: at, tool: at % 2 ? 'odd' : 'even' }));
    const outputBytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const beforeBytes = await outputBytes();
    const page = await store.list({ limit: 1, tool: 'even' });
    expect((await outputBytes()) - beforeBytes).toBeLessThan(2_000_000);
    expect(page).toMatchObject({ jobs: [{ seed: { createdAtMs: 18 } }], totalCount: 10, hasMore: true });
  });
});

describe('a listing beside a newer version of the product', () => {
  it('leaves out a record it cannot read, keeps it, and shows the others', async () => {
    const { keys } = setup();
    const store = createJobStore({ redis, keys, retention: DEFAULT_RETENTION });
    const [known, newer] = [seedOf(), seedOf()];
    for (const seed of [known, newer]) await store.create(seed);
    await redis.hset(keys.record(newer.id), 'state', 'dreaming');
    const page = await store.list({ limit: 5 });
    expect(page.jobs.map((job) => job.seed.id)).toEqual([known.id]);
    expect(await redis.zscore(keys.allJobs(), newer.id)).not.toBeNull();
  });
});

describe('the checker of leaked keys', () => {
  it('finds a key without a TTL and passes over one with a TTL', async () => {
    const { scope } = setup();
    await redis.set(`${scope.base}:kept`, '1', 'PX', 60_000);
    await refuseLeaks(scope);
    await redis.set(`${scope.base}:leaked`, '1');
    expect(await leakedKeys(scope)).toEqual([`${scope.base}:leaked`]);
    await expect(refuseLeaks(scope)).rejects.toThrow(`${scope.base}:leaked`);
  });

  it('finds a queued job’s hash that no list of the queue names', async () => {
    const { scope } = setup();
    const queue = `${scope.queuePrefix}:analysis`;
    await redis.hset(`${queue}:job_a`, 'data', '{}');
    expect(await leakedKeys(scope)).toEqual([`${queue}:job_a`]);
    await redis.lpush(`${queue}:wait`, 'job_a');
    expect(await leakedKeys(scope)).toEqual([]);
  });

  it('finds a key of no installation, and looks at every installation of a server', async () => {
    const [one, other] = [setup(), setup()];
    await redis.set(`${one.scope.base}:kept`, '1', 'PX', 60_000);
    await redis.set(`${other.scope.base}:leaked`, '1');
    await expect(refuseLeaksOfServer(redis)).rejects.toThrow(':leaked');
    await redis.set('stray', '1', 'PX', 60_000);
    await expect(refuseLeaksOfServer(redis)).rejects.toThrow('outside of any installation');
    await redis.del('stray', `${other.scope.base}:leaked`);
  });

  it('finds what is beyond its cap, though it expires', async () => {
    const { keys, scope } = setup();
    const id = seedOf().id;
    const pipeline = redis.pipeline();
    for (let at = 0; at < 2_500; at++) pipeline.xadd(keys.events(id), '*', 'e', '{}');
    await pipeline.exec();
    await redis.pexpire(keys.events(id), 60_000);
    expect(await leakedKeys(scope)).toEqual([`${keys.events(id)} (2500 entries of at most 2400)`]);
  });

  it('finds a queue key that is not on its list', async () => {
    const { scope } = setup();
    await redis.set(`${scope.queuePrefix}:analysis:strange`, '1');
    expect(await leakedKeys(scope)).toEqual([`${scope.queuePrefix}:analysis:strange`]);
  });
});
