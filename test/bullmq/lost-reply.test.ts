/** A worker whose Redis dies as it parks a job sends the move again, and must not take the refusal for a failure. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Queue } from 'bullmq';
import { it, onTestFinished } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import { createBullQueue } from '../../src/bullmq/queue.js';
import type { Delivery, Verdict } from '../../src/core/ports.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { until } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf, bullOver } from '../support/places.js';
import { testRedis } from '../support/redis.js';

const LATER_MS = 600_000;

it.each([
  ['whose answer came meanwhile is woken all the same', true],
  ['without an answer stays parked, and is no failure', false],
])('a job moved by a command whose reply was lost, and %s', async (_, answered) => {
  const server = await testRedis();
  onTestFinished(() => server.stop());
  const connection = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(connection));
  const keys = createKeys(`test-${randomUUID()}`);
  const context = bullOver({ redis: connection, keys, retention: DEFAULT_RETENTION });
  const bare = new Queue('analysis', { connection, prefix: context.prefix });
  const queue = createBullQueue(context, ['analysis']);
  let runs = 0;
  let looks = 0;
  const run = async ({ id }: Delivery): Promise<Verdict> => {
    runs += 1;
    if (runs > 1) return { kind: 'done' };
    // The move that reached Redis; the one of the consumer itself is then the repeat.
    const token = (await connection.get(`${bare.toKey(id)}:lock`)) ?? '';
    await (await bare.getJob(id))?.moveToDelayed(Date.now() + LATER_MS, token);
    return {
      kind: 'park',
      untilMs: Date.now() + LATER_MS,
      async isReady() {
        looks += 1;
        return answered;
      },
    };
  };
  const consumer = createBullConsumer(context, { queue: 'analysis', concurrency: 1, workerId: 'w1', run });
  await consumer.start();
  onTestFinished(() => consumer.stop(1_000));
  await queue.add(seedOf());
  const look = async () => ({ ...(await queue.counts('analysis')), failed: await bare.getFailedCount(), runs, looks });
  const wanted = answered ? { runs: 2, looks: 1, delayed: 0 } : { runs: 1, looks: 1, delayed: 1 };
  const atRest = { ...wanted, waiting: 0, active: 0, failed: 0 };
  // What is counted and what ran are looked at one after the other: in between the job may go on.
  await until(look, (seen) => isDeepStrictEqual(seen, atRest), { what: JSON.stringify(atRest) });
  await queue.close();
  await bare.close();
});
