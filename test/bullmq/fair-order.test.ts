/** Who is next among the principals: of each turn every one has one job, however many another has queued. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import { createBullQueue } from '../../src/bullmq/queue.js';
import type { JobId } from '../../src/core/ids.js';
import type { JobSeed } from '../../src/core/job.js';
import { partId } from '../../src/core/part.js';
import type { Verdict } from '../../src/core/ports.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createGate, type Gate, until } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { addressOf, bullOver } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

/** One installation whose only slot is held until the test lets it go on, and what it ran by then, by principal. */
function setup(namespace = `test-${randomUUID()}`) {
  const redis = connectRedis(addressOf(server), 'work');
  const keys = createKeys(namespace);
  const context = { redis, keys, retention: DEFAULT_RETENTION };
  const store = createJobStore(context);
  const bull = bullOver(context);
  const queue = createBullQueue(bull, ['analysis']);
  const ran: JobSeed[] = [];
  const holds: Gate<void>[] = [];
  const verdicts = new Map<string, Verdict>();
  const consumer = createBullConsumer(bull, {
    queue: 'analysis',
    concurrency: 1,
    workerId: 'w1',
    async run(delivery) {
      ran.push(delivery.seed as JobSeed);
      await holds.at(-1)?.opened;
      const verdict = verdicts.get(delivery.id) ?? { kind: 'done' };
      verdicts.delete(delivery.id);
      return verdict;
    },
  });
  onTestFinished(async () => {
    holds.at(-1)?.open();
    await consumer.stop(5_000);
    await refuseLeaks({ redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix });
    await queue.close();
    await redis.unlink('none', ...(await keysBelow(redis, `{${namespace}}`)));
    closeRedis(redis);
  });
  const hold = () => holds.push(createGate<void>());
  const add = async (principal: string, more: Partial<JobSeed> = {}): Promise<JobSeed> => {
    const seed = seedOf({ principal, ...more });
    await store.create(seed);
    await queue.add(seed);
    return seed;
  };
  return {
    redis,
    keys,
    queue,
    consumer,
    ran,
    verdicts,
    add,
    hold,
    release: () => holds.at(-1)?.open(),
    async addMany(principal: string, count: number) {
      const seeds: JobSeed[] = [];
      for (let at = 0; at < count; at++) seeds.push(await add(principal, { args: { at } }));
      return seeds;
    },
    /** As if the time of these delayed jobs had come. */
    async makeDue(ids: readonly JobId[]) {
      for (const id of ids) await redis.zadd(`${keys.queuePrefix}:analysis:delayed`, 'XX', 1, id);
    },
    async start() {
      hold();
      await consumer.start();
    },
    async runs(count: number) {
      const seen = await until(
        () => ran.length,
        (length) => length >= count,
        { what: `${count} runs`, limitMs: 30_000 },
      );
      expect(seen).toBeGreaterThanOrEqual(count);
      return ran
        .slice(0, count)
        .map(({ principal }) => principal)
        .join('');
    },
  };
}

describe('a principal with one job', () => {
  it('is next, though another has a thousand queued, and is told so', async () => {
    const site = setup();
    await site.addMany('A', 1_000);
    await site.start();
    await site.runs(1);
    const { id } = await site.add('B');
    expect(await site.queue.position(id, 'analysis')).toBe(1);
    site.release();
    expect(await site.runs(3)).toBe('ABA');
  });

  it('is next also if it was the last that had a turn, since nobody waited then', async () => {
    const site = setup();
    await site.addMany('B', 3);
    await site.consumer.start();
    await site.runs(3);
    await until(
      () => site.queue.counts('analysis'),
      ({ active }) => active === 0,
      { what: 'the queue to be idle' },
    );
    site.hold();
    await site.addMany('A', 1);
    await site.runs(4);
    await site.addMany('A', 10);
    const { id } = await site.add('B');
    expect(await site.queue.position(id, 'analysis')).toBe(1);
    site.release();
    expect((await site.runs(6)).slice(3)).toBe('ABA');
  });

  it('that comes again and again does not keep the other from its turns', async () => {
    const site = setup();
    await site.addMany('A', 20);
    await site.start();
    for (let count = 1; count <= 10; count++) {
      await site.runs(count);
      // B has one job waiting at all times.
      if (!(await site.queue.position(site.ran.at(-1)?.id as JobId, 'analysis'))) await site.add('B');
      const last = site.ran.length;
      site.release();
      site.hold();
      await site.runs(last + 1);
    }
    const order = site.ran.map(({ principal }) => principal).join('');
    expect(order).not.toContain('BBB');
    expect(order).not.toContain('AAA');
  });

  it('is next though hundreds of another’s have come due, or were woken, at once', async () => {
    const site = setup();
    const parked = await site.addMany('A', 60);
    for (const { id } of parked.slice(0, 30)) site.verdicts.set(id, { kind: 'delay', untilMs: Date.now() + 600_000 });
    for (const { id } of parked.slice(30)) site.verdicts.set(id, { kind: 'delay', untilMs: Date.now() + 600_000 });
    await site.consumer.start();
    await until(
      () => site.queue.counts('analysis'),
      ({ delayed }) => delayed === 60,
      { what: 'all to be delayed' },
    );
    site.hold();
    const [first] = await site.addMany('C', 1);
    await site.runs(61);
    expect(site.ran.at(-1)?.id).toBe(first?.id);
    for (const { id } of parked.slice(0, 30)) expect(await site.queue.promote(id, 'analysis')).toBe(true);
    await site.makeDue(parked.slice(30).map(({ id }) => id));
    await site.add('B');
    site.release();
    const order = (await site.runs(122)).slice(60);
    expect(order.indexOf('B')).toBeLessThanOrEqual(2);
    expect(order.replaceAll(/[BC]/g, '')).toHaveLength(60);
  });
});

describe('several principals', () => {
  it('take turns, each in the order of its own', async () => {
    const site = setup();
    for (const [who, count] of [
      ['A', 6],
      ['B', 3],
      ['C', 4],
    ] as const)
      await site.addMany(who, count);
    await site.consumer.start();
    expect(await site.runs(13)).toBe('ABCABCABCACAA');
    for (const who of ['A', 'B', 'C']) {
      const places = site.ran.filter(({ principal }) => principal === who).map(({ args }) => args.at);
      expect(places).toEqual(places.map((_, index) => index));
    }
  });

  it('do not lose turns to jobs that were cancelled while they waited', async () => {
    const site = setup();
    const cancelled = await site.addMany('A', 50);
    await site.addMany('B', 4);
    for (const { id } of cancelled) await site.queue.remove(id, 'analysis');
    await site.addMany('A', 4);
    await site.consumer.start();
    expect(await site.runs(8)).toMatch(/^(A?BA?){4}$/);
  });

  it('have their parts counted among their jobs', async () => {
    const site = setup();
    const [whole] = await site.addMany('A', 1);
    if (!whole) throw new Error('no job was added');
    for (let at = 0; at < 5; at++) {
      const key = `part ${at}`;
      const share = { from: 0, to: 1, outOf: 1, total: 1, before: '', after: '' };
      await site.add('A', { id: partId(whole.id, key), partOf: { id: whole.id, key, group: 'g', share } });
    }
    await site.addMany('B', 2);
    await site.consumer.start();
    expect(await site.runs(8)).toBe('ABABAAAA');
  });

  it('keep their turns when all processes are started anew', async () => {
    const namespace = `test-${randomUUID()}`;
    const before = setup(namespace);
    await before.addMany('A', 4);
    await before.addMany('B', 1);
    const after = setup(namespace);
    await after.addMany('B', 2);
    await after.addMany('C', 1);
    await after.consumer.start();
    expect(await after.runs(8)).toMatch(/^ABC(AB){2}A$/);
  });

  it('keep their turns when counting begins anew', async () => {
    const site = setup();
    await site.add('A');
    await site.redis.hset(site.keys.turns('analysis'), 'turn', 2 ** 28 + 1);
    await site.addMany('A', 3);
    await site.addMany('B', 2);
    await site.consumer.start();
    expect((await site.runs(6)).split('').sort().join('')).toBe('AAAABB');
    expect(Number(await site.redis.hget(site.keys.turns('analysis'), 'turn'))).toBeLessThan(10);
    expect(site.ran.filter(({ principal }) => principal === 'A').map(({ args }) => args.at)).toEqual([
      undefined,
      0,
      1,
      2,
    ]);
  });
});

describe('a job that was handed back', () => {
  it('is the next of all, and an ordinary one thereafter', async () => {
    const site = setup();
    const [first] = await site.addMany('A', 3);
    await site.addMany('B', 3);
    if (!first) throw new Error('no job was added');
    site.verdicts.set(first.id, { kind: 'hand_back' });
    await site.consumer.start();
    expect(await site.runs(7)).toMatch(/^AA[AB]{5}$/);
    expect(site.ran.slice(0, 2).map(({ id }) => id)).toEqual([first.id, first.id]);
    expect(await site.redis.hget(`${site.keys.queuePrefix}:analysis:${first.id}`, 'priority')).toBe(
      String(2 ** 21 - 1),
    );
  });
});
