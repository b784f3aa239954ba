/** The job queue on BullMQ: adds, removes and hands back jobs; the product's own record says what became of them. */
import { type Job, Queue } from 'bullmq';
import type { JobQueue } from '../core/ports.js';
import { BULL_EVENTS_CAP, type BullContext, KEEP_COMPLETED, KEEP_FAILED } from './options.js';

/** The queue with the way to end it. */
export interface BullQueue extends JobQueue {
  /** Lets go of the queue objects; the connection stays with its owner. */
  close(): Promise<void>;
}

/** Builds the job queue for the named queues. Every method rejects at once while Redis is away. */
export function createBullQueue(context: BullContext, names: readonly string[]): BullQueue {
  const queues = new Map(names.map((name) => [name, openQueue(context, name)]));
  const queueOf = (name: string): Queue => {
    const queue = queues.get(name);
    if (!queue) throw new Error(`no queue named ${name} is open; open are ${names.join(', ')}`);
    return queue;
  };
  return {
    async add(seed) {
      await queueOf(seed.queue).add(seed.tool, seed, {
        jobId: seed.id,
        removeOnComplete: KEEP_COMPLETED,
        removeOnFail: KEEP_FAILED,
      });
    },
    remove: (id, queue) => removeJob(queueOf(queue), id),
    position: (id, queue) => waitingPosition(context, queueOf(queue), id),
    async counts(queue) {
      const { waiting = 0, paused = 0, active = 0, delayed = 0 } = await queueOf(queue).getJobCounts();
      return { waiting: waiting + paused, active, delayed };
    },
    handBack: (workerId, queue) => handBackJobs(queueOf(queue), workerId),
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

function openQueue(context: BullContext, name: string): Queue {
  const queue = new Queue(name, {
    connection: context.connection,
    prefix: context.prefix,
    skipWaitingForReady: true,
    streams: { events: { maxLen: BULL_EVENTS_CAP } },
  });
  queue.on('error', context.onError);
  return queue;
}

/** BullMQ refuses to remove a job that a worker holds; that worker learns of the cancel from the record instead. */
async function removeJob(queue: Queue, id: string): Promise<boolean> {
  try {
    return (await queue.remove(id)) === 1;
  } catch (error) {
    if (error instanceof Error && /locked/i.test(error.message)) return false;
    throw error;
  }
}

/** Jobs are pushed left and taken right, so a job's distance from the right end is its turn. */
async function waitingPosition(context: BullContext, queue: Queue, id: string): Promise<number | undefined> {
  const key = queue.toKey('wait');
  const [index, length] = await Promise.all([context.connection.lpos(key, id), context.connection.llen(key)]);
  return index === null ? undefined : length - Number(index);
}

/** Token `0` stands for "whoever holds it": the holder is known to be dead, and its later writes are fenced anyway. */
async function handBackJobs(queue: Queue, workerId: string): Promise<string[]> {
  const active = await queue.getActive();
  const orphans = active.filter((job): job is Job & { id: string } => job?.processedBy === workerId && !!job.id);
  await Promise.all(orphans.map((job) => job.moveToWait('0')));
  return orphans.map((job) => job.id);
}
