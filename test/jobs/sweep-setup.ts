/** The ports of a sweep over a real Redis and a real queue, with the ways to damage what lies there. */
import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { onTestFinished } from 'vitest';
import { createBullQueue } from '../../src/bullmq/queue.js';
import type { JobId } from '../../src/core/ids.js';
import type { Question } from '../../src/core/input.js';
import type { JobSeed } from '../../src/core/job.js';
import { type Repaired, sweep } from '../../src/jobs/sweep.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createInputMailbox } from '../../src/redis/input-mailbox.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createPresence } from '../../src/redis/presence.js';
import { createUnfinishedJobs } from '../../src/redis/unfinished-jobs.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf, bullOver } from '../support/places.js';
import type { TestRedis } from '../support/redis.js';

const LATER_MS = 600_000;

/** Opens a fresh installation; `confirmMs` is the time between the two looks of a sweep. */
export function openSweep(server: TestRedis, confirmMs: number) {
  const connection = connectRedis(addressOf(server), 'work');
  onTestFinished(() => closeRedis(connection));
  const keys = createKeys(`test-${randomUUID()}`);
  const context = { redis: connection, keys, retention: DEFAULT_RETENTION };
  const bull = bullOver(context);
  const queue = createBullQueue(bull, ['analysis', 'review']);
  const mover = new Worker('analysis', null, { connection, prefix: bull.prefix, name: 'w1', autorun: false });
  onTestFinished(() => mover.close());
  const store = createJobStore(context);
  const mailbox = createInputMailbox(context);
  const ports = { store, mailbox, queue, presence: createPresence(context), unfinished: createUnfinishedJobs(context) };
  const bullKey = (id: string) => `${keys.queuePrefix}:analysis:${id}`;

  const created = async (overrides: Partial<JobSeed> = {}): Promise<JobSeed> => {
    const seed = seedOf(overrides);
    await store.create(seed);
    return seed;
  };
  const queued = async (overrides: Partial<JobSeed> = {}): Promise<JobSeed> => {
    const seed = await created(overrides);
    await queue.add(seed);
    return seed;
  };
  /** A job that `w1` runs, in the queue and by its record. */
  const running = async () => {
    const seed = await queued();
    const job = await mover.getNextJob('token');
    await store.begin(seed, { workerId: 'w1', run: 'r1' });
    return { seed, job };
  };
  /** As if the time for a look at every job had come. */
  const makeDue = async (): Promise<void> => {
    const ids = await connection.zrangebyscore(keys.unfinished(), '-inf', '+inf');
    if (ids.length > 0) await connection.zadd(keys.unfinished(), 'XX', ...ids.flatMap((id) => [0, id]));
  };
  return {
    ...ports,
    bull,
    ports,
    redis: connection,
    keys,
    created,
    queued,
    running,
    /** A job that waits for answers to these questions. */
    async parked(questions: readonly Question[], untilMs = Date.now() + LATER_MS) {
      const { seed, job } = await running();
      await mailbox.ask(seed.id, 'r1', questions);
      await store.leave(seed.id, 'r1', 'parked', { untilMs });
      await job?.moveToDelayed(Date.now() + LATER_MS, 'token');
      return seed;
    },
    /** Takes all that the queue knows of a job, as a failover may. */
    async loseFromQueue(id: JobId) {
      for (const list of ['wait', 'active', 'paused'])
        await connection.lrem(`${keys.queuePrefix}:analysis:${list}`, 0, id);
      for (const set of ['delayed', 'prioritized', 'completed', 'failed'])
        await connection.zrem(`${keys.queuePrefix}:analysis:${set}`, id);
      await connection.del(bullKey(id), `${bullKey(id)}:lock`);
    },
    unlock: (id: JobId) => connection.del(`${bullKey(id)}:lock`),
    async place(id: JobId) {
      return (await queue.places([id], 'analysis')).get(id)?.kind;
    },
    makeDue,
    /** Sweeps when every job is due for a look. */
    async sweep(): Promise<readonly Repaired[]> {
      await makeDue();
      return sweep(ports, { confirmMs });
    },
  };
}
