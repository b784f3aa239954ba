/** The job queue on BullMQ: adds, removes and hands back jobs; the product's own record says what became of them. */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import type { JobSeed } from '../core/job.js';
import type { JobQueue, LetGo } from '../core/ports.js';
import { moveToFront } from './move-to-front.js';
import { BULL_EVENTS_CAP, type BullContext, KEEP_COMPLETED, KEEP_FAILED } from './options.js';
import { placeOf } from './places.js';
import { promoteJob } from './promote.js';

/** The queue with the way to end it. */
export interface BullQueue extends JobQueue {
  /** Lets go of the queue objects; the connection stays with its owner. */
  close(): Promise<void>;
}

/** Builds the job queue for the named queues. Every method rejects at once while Redis is away. */
export function createBullQueue(context: BullContext, names: readonly string[]): BullQueue {
  const open = new Map<string, Queue>();
  const queueOf = async (name: string): Promise<Queue> => {
    if (!names.includes(name)) throw new Error(`no queue named ${name} is open; open are ${names.join(', ')}`);
    const queue = open.get(name) ?? openQueue(context, name);
    open.set(name, queue);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // A queue whose first words to Redis failed never recovers; the next call opens another.
      if (open.get(name) === queue) open.delete(name);
      queue.close().catch(context.onError);
      throw error;
    }
  };
  return {
    add: async (seed) => addJob(context, await queueOf(seed.queue), seed),
    async remove(id, queue) {
      const removed = await removeJob(await queueOf(queue), id);
      if (removed) await context.turns.giveBack(queue, id).catch(context.onError);
      return removed;
    },
    async promote(id, queue) {
      const job = await (await queueOf(queue)).getJob(id);
      const promoted = job ? await promoteJob(job) : false;
      if (promoted) place(context, queue);
      return promoted;
    },
    position: async (id, queue) => (await context.turns.positions(queue, [id])).get(id),
    positions: (ids, queue) => context.turns.positions(queue, ids),
    async counts(queue) {
      const { waiting = 0, paused = 0, prioritized = 0, ...of } = await (await queueOf(queue)).getJobCounts();
      return { waiting: waiting + paused + prioritized, active: of.active ?? 0, delayed: of.delayed ?? 0 };
    },
    async places(ids, name) {
      const queue = await queueOf(name);
      const found = await Promise.all(ids.map(async (id) => [id, await placeOf(context, queue, id)] as const));
      return new Map(found);
    },
    handBack: async (workerId, queue, letGo = () => true) =>
      handBackJobs(context, await queueOf(queue), { workerId, letGo }),
    async close() {
      await Promise.all([...open.values()].map((queue) => queue.close()));
    },
  };
}

async function addJob(context: BullContext, queue: Queue, seed: JobSeed): Promise<void> {
  await queue.add(seed.tool, seed, {
    jobId: seed.id,
    priority: context.turns.priority,
    removeOnComplete: KEEP_COMPLETED,
    removeOnFail: KEEP_FAILED,
  });
  place(context, seed.queue);
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
  // BullMQ says of a job it has never heard of that it was removed.
  if (!(await queue.getJob(id))) return false;
  try {
    return (await queue.remove(id)) === 1;
  } catch (error) {
    if (error instanceof Error && /locked/i.test(error.message)) return false;
    throw error;
  }
}

/** Not waited for: the job lies in the queue already, and whoever looks next places it as well. */
function place({ turns, onError }: BullContext, queue: string): void {
  turns.place(queue).catch(onError);
}

interface Orphans {
  readonly workerId: string;
  readonly letGo: LetGo;
}

async function handBackJobs(context: BullContext, queue: Queue, { workerId, letGo }: Orphans): Promise<string[]> {
  const active = await context.connection.lrange(queue.toKey('active'), 0, -1);
  const moved = await Promise.all(
    active.map(async (id) => {
      if (!(await isHeldBy(context, queue, { id, workerId })) || !(await letGo(id))) return false;
      return handBackJob(context, queue, { id, workerId });
    }),
  );
  return active.filter((_, index) => moved[index]);
}

interface Held {
  readonly id: string;
  readonly workerId: string;
}

/** Reads the one field of the job that names its worker: the whole of it may be megabytes. */
async function isHeldBy({ connection }: BullContext, queue: Queue, { id, workerId }: Held): Promise<boolean> {
  return (await connection.hget(queue.toKey(id), 'pb')) === workerId;
}

/** Long enough to move the job, whose lock has ended. */
const MOVING_MS = 10_000;

/**
 * Moves a job with its dead holder's own lock token, which lets go of the lock; where that has ended, it is taken for the
 * move, lest the holder come back and take it again in between. The holder's name is read after the token, so a job that
 * somebody else took meanwhile is let be.
 */
async function handBackJob(context: BullContext, queue: Queue, held: Held): Promise<boolean> {
  const lock = `${queue.toKey(held.id)}:lock`;
  const token = (await context.connection.get(lock)) ?? (await takeLock(context, lock));
  const job = await queue.getJob(held.id);
  if (token === undefined || job?.processedBy !== held.workerId) return false;
  try {
    await moveToFront(context, job, token);
    return true;
  } catch (error) {
    if (error instanceof Error && /lock|missing key/i.test(error.message)) return false;
    throw error;
  }
}

async function takeLock({ connection }: BullContext, lock: string): Promise<string | undefined> {
  const token = randomUUID();
  return (await connection.set(lock, token, 'PX', MOVING_MS, 'NX')) === 'OK' ? token : undefined;
}
