/** A job that Redis moved to a worker which never heard of it, on a real queue. */
import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { createBullQueue } from '../../src/bullmq/queue.js';
import { QUEUE_NAMES } from '../../src/core/tool.js';
import { createLogger } from '../../src/logger.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createLostDeliveries } from '../../workers/lost-deliveries.js';
import { createGate, until } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf, bullOver } from '../support/places.js';
import { testRedis } from '../support/redis.js';

it('a job that never arrived is taken up again, while one that runs here is let be', async () => {
  const server = await testRedis();
  onTestFinished(() => server.stop());
  const connection = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(connection));
  const keys = createKeys(`test-${randomUUID()}`);
  const context = bullOver({ redis: connection, keys, retention: DEFAULT_RETENTION });
  const queue = createBullQueue(context, QUEUE_NAMES);
  // Moves jobs to `w1` as its consumer does, and runs none of them.
  const mover = new Worker('analysis', null, { connection, prefix: context.prefix, name: 'w1', autorun: false });
  onTestFinished(() => mover.close());
  const [arrived, lost] = [seedOf(), seedOf()];
  for (const seed of [arrived, lost]) {
    await queue.add(seed);
    expect((await mover.getNextJob('token'))?.id).toBe(seed.id);
  }

  const logger = createLogger('test', 'silent');
  const search = createLostDeliveries({ queue, workerId: 'w1', logger, intervalMs: 20 });
  const gate = createGate<void>();
  const run = search.watching(async () => {
    await gate.opened;
    return { kind: 'done' };
  });
  const verdict = run({ id: arrived.id, seed: arrived, lost: new AbortController().signal });
  search.start();
  onTestFinished(() => search.stop());

  const waiting = () => queue.position(lost.id, 'analysis');
  expect(await until(waiting, (position) => position !== undefined, { what: 'the lost job to wait again' })).toBe(1);
  expect(await queue.counts('analysis')).toMatchObject({ waiting: 1, active: 1 });
  gate.open();
  expect(await verdict).toEqual({ kind: 'done' });
  await queue.close();
});
