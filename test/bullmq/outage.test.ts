/** The queue and its consumers while Redis is away: they fail at once, end in time, and come back. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import { createBullQueue } from '../../src/bullmq/queue.js';
import type { Delivery, Verdict } from '../../src/core/ports.js';
import {
  type ConnectionRole,
  closeRedis,
  connectRedis,
  type RedisAddress,
  readyWithin,
} from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createGate, until, within } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf, bullOver } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

const NOWHERE = { socketPath: '/nonexistent/redis.sock' };

function contextOf(address: RedisAddress, role: Exclude<ConnectionRole, 'subscribe'>) {
  const connection = connectRedis(address, role);
  onTestFinished(() => closeRedis(connection));
  return bullOver({ redis: connection, keys: createKeys(`test-${randomUUID()}`), retention: DEFAULT_RETENTION });
}

async function setup(): Promise<TestRedis> {
  const server = await testRedis();
  onTestFinished(() => server.stop());
  return server;
}

describe('the queue while Redis is away', () => {
  it('rejects every call instead of letting it wait', async () => {
    const queue = createBullQueue(contextOf(NOWHERE, 'call'), ['analysis']);
    const seed = seedOf();
    const calls: Record<string, () => Promise<unknown>> = {
      add: () => queue.add(seed),
      remove: () => queue.remove(seed.id, 'analysis'),
      promote: () => queue.promote(seed.id, 'analysis'),
      position: () => queue.position(seed.id, 'analysis'),
      counts: () => queue.counts('analysis'),
      handBack: () => queue.handBack('w1', 'analysis'),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(within(call(), { what: `${name} to be refused` })).rejects.not.toThrow(/waited|timed out/);
    }
    await within(
      queue.close().catch(() => undefined),
      { what: 'the queue to close' },
    );
  });

  it('serves again after a restart, and what was added before is still there', async ({ skip }) => {
    const server = await setup();
    if (!server.killable) skip('REDIS_URL names a server this test does not own');
    const context = contextOf(addressOf(server), 'call');
    await readyWithin(context.connection, 20_000);
    const queue = createBullQueue(context, ['analysis']);
    await queue.add(seedOf());
    await server.restart();
    const counts = () => queue.counts('analysis').catch(String);
    const wait = { what: 'the job to be counted' };
    await until(counts, (seen) => typeof seen === 'object' && seen.waiting === 1, wait);
    await queue.add(seedOf());
    expect(await queue.counts('analysis')).toMatchObject({ waiting: 2 });
    await queue.close();
  });

  it('knows only the queues it was opened for', async () => {
    const queue = createBullQueue(contextOf(NOWHERE, 'call'), ['analysis']);
    await expect(queue.counts('other')).rejects.toThrow('no queue named other is open; open are analysis');
  });
});

describe('a consumer whose Redis is away', () => {
  const run = async (): Promise<Verdict> => ({ kind: 'done' });
  const options = { queue: 'analysis', concurrency: 1, workerId: 'w1', run };

  it('that never reached it stops within its deadline', async () => {
    const consumer = createBullConsumer(contextOf(NOWHERE, 'work'), options);
    consumer.start().catch(() => undefined);
    // Without one it would wait for ever.
    await within(consumer.stop(200), { what: 'the consumer to stop' });
  });

  it('that lost it stops within its deadline', async ({ skip }) => {
    const server = await setup();
    if (!server.killable) skip('REDIS_URL names a server this test does not own');
    const consumer = createBullConsumer(contextOf(addressOf(server), 'work'), options);
    await consumer.start();
    await server.kill9();
    // Without one it would wait for ever.
    await within(consumer.stop(200), { what: 'the consumer to stop' });
  });

  it('goes on taking jobs after a restart, and finishes the one it held once', async ({ skip }) => {
    const server = await setup();
    if (!server.killable) skip('REDIS_URL names a server this test does not own');
    const context = contextOf(addressOf(server), 'work');
    const queue = createBullQueue(context, ['analysis']);
    const taken: string[] = [];
    const gate = createGate();
    const hold = async ({ id }: Delivery): Promise<Verdict> => {
      taken.push(id);
      await gate.opened;
      return { kind: 'done' };
    };
    const consumer = createBullConsumer(context, { ...options, run: hold });
    const [first, second] = [seedOf(), seedOf()];
    await queue.add(first);
    await consumer.start();
    await until(
      () => taken,
      (ids) => ids.length === 1,
      { what: 'the first job' },
    );
    await server.restart();
    gate.open();
    await queue.add(second);
    await until(
      () => taken,
      (ids) => ids.includes(second.id),
      { what: 'the second job' },
    );
    expect(taken).toEqual([first.id, second.id]);
    await consumer.stop(5_000);
    await queue.close();
  });
});
