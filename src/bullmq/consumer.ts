/** Takes jobs from one BullMQ queue and follows the verdict on each; knows nothing of what a job does. */
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { settlesWithin } from '../core/lifecycle.js';
import type { Delivery, JobConsumer, Verdict } from '../core/ports.js';
import { type HeldJob, holdingOf } from './holds.js';
import { moveToFront } from './move-to-front.js';
import { type BullContext, LOCK_MS } from './options.js';
import { promoteJob } from './promote.js';

/** What a consumer needs beside the connection. */
export interface ConsumerOptions {
  readonly queue: string;
  /** Jobs run side by side. */
  readonly concurrency: number;
  /** Unique name of this worker process, stored with every job it takes. */
  readonly workerId: string;
  /** Runs one job; must not throw, and must settle soon after the process is told to stop. */
  run(delivery: Delivery): Promise<Verdict>;
  /** Milliseconds that a job is kept for a worker that nobody hears of; `LOCK_MS` unless said. */
  readonly lockMs?: number;
  /** Told of every job that is taken, before it is run: whoever renews locks does so from then on. */
  onTaken?(held: HeldJob): void;
  /** Told once the job's verdict is carried out. */
  onLet?(held: HeldJob): void;
}

/** A consumer that can be told what it cannot see. */
export interface BullConsumer extends JobConsumer {
  /** Aborts the run of a job that was given to somebody else. */
  lose(held: HeldJob): void;
}

/**
 * Builds a consumer; it takes nothing before `start`. `stop` waits for the runs under way, within its deadline.
 * Whose jobs are handed to others is not decided here, but by who misses a worker's beats: BullMQ's own check would take a
 * job from a living worker whose lock ended while Redis was away.
 */
export function createBullConsumer(context: BullContext, options: ConsumerOptions): BullConsumer {
  const runs = new Map<string, AbortController>();
  const process = async (job: Job<unknown>, token = ''): Promise<void> => {
    const key = `${context.prefix}:${options.queue}:${job.id}:lock`;
    const held: HeldJob = { id: job.id ?? '', queue: options.queue, key, token };
    const lost = new AbortController();
    runs.set(holdingOf(held), lost);
    options.onTaken?.(held);
    lookAfterTurns(context, job);
    try {
      const delivery = { id: held.id, seed: job.data, lost: lost.signal, hold: { key, token } };
      await follow(context, { job, token }, options.run(delivery));
    } finally {
      runs.delete(holdingOf(held));
      options.onLet?.(held);
    }
  };
  const worker = new Worker<unknown>(options.queue, (job, token) => process(job, token), {
    connection: context.connection,
    prefix: context.prefix,
    name: options.workerId,
    autorun: false,
    concurrency: options.concurrency,
    lockDuration: options.lockMs ?? LOCK_MS,
    skipLockRenewal: true,
    skipStalledCheck: true,
    runRetryDelay: 1_000,
  });
  worker.on('error', context.onError);
  let running = false;
  let stopping: Promise<unknown> | undefined;
  return {
    name: `consumer of ${options.queue}`,
    async start() {
      await worker.waitUntilReady();
      if (running) return;
      running = true;
      worker.run().catch(context.onError);
    },
    async quiet() {
      await worker.pause(true);
    },
    async stop(deadlineMs) {
      stopping ??= worker.close();
      // `close` hangs while Redis is away; the process ends anyway and the queue recovers the jobs.
      if (!(await settlesWithin(stopping, deadlineMs))) await settlesWithin(worker.close(true), 500);
    },
    lose: (held) => runs.get(holdingOf(held))?.abort(),
  };
}

interface Taken {
  readonly job: Job<unknown>;
  readonly token: string;
}

/**
 * Jobs whose time came were put behind all others, and whoever takes a job places them. A job that was handed back is an
 * ordinary one again once it is taken. Neither holds up the job.
 */
function lookAfterTurns({ turns, onError }: BullContext, job: Job<unknown>): void {
  turns.place(job.queueName).catch(onError);
  const { queueName, id, priority } = job;
  if (priority !== turns.priority && id !== undefined) turns.setFirst(queueName, id, false).catch(onError);
}

/** Turns a verdict into what BullMQ understands: a return, or one of its control-flow errors. */
async function follow(context: BullContext, { job, token }: Taken, verdict: Promise<Verdict>): Promise<void> {
  const decided = await verdict;
  switch (decided.kind) {
    case 'done':
      return;
    case 'failed':
      throw new UnrecoverableError(decided.message);
    case 'delay':
      await moveToDelayed(job, decided.untilMs, token);
      throw new DelayedError();
    case 'park':
      await moveToDelayed(job, decided.untilMs, token);
      // An answer that came before the move found nothing to promote; one that comes later will.
      if ((await decided.isReady()) && (await promoteJob(job)))
        await context.turns.place(job.queueName).catch(context.onError);
      throw new DelayedError();
    case 'hand_back':
      await moveToFront(context, job, token);
      throw new WaitingError();
    default:
      return decided satisfies never;
  }
}

/** A move whose reply was lost with the connection is sent again, and then refused though the job lies where it should. */
async function moveToDelayed(job: Job<unknown>, untilMs: number, token: string | undefined): Promise<void> {
  try {
    await job.moveToDelayed(untilMs, token);
  } catch (error) {
    if (!(await job.isDelayed())) throw error;
  }
}
