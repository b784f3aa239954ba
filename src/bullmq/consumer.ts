/** Takes jobs from one BullMQ queue and follows the verdict on each; knows nothing of what a job does. */
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { settlesWithin } from '../core/lifecycle.js';
import type { Delivery, JobConsumer, Verdict } from '../core/ports.js';
import { type BullContext, LOCK } from './options.js';
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
}

/** Builds a consumer; it takes nothing before `start`. `stop` waits for the runs under way, within its deadline. */
export function createBullConsumer(context: BullContext, options: ConsumerOptions): JobConsumer {
  const worker = new Worker<unknown>(
    options.queue,
    // Three declared parameters are what makes BullMQ hand over the signal.
    (job, token, signal) => follow(job, token, deliver(job, options, signal)),
    {
      connection: context.connection,
      prefix: context.prefix,
      name: options.workerId,
      autorun: false,
      concurrency: options.concurrency,
      lockDuration: LOCK.durationMs,
      lockRenewTime: LOCK.renewMs,
      stalledInterval: LOCK.stalledCheckMs,
      // Crashes are counted in the job's record, which ends a poison job with its history.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1_000,
    },
  );
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
  };
}

async function deliver(job: Job<unknown>, options: ConsumerOptions, signal: AbortSignal | undefined): Promise<Verdict> {
  const lost = signal ?? new AbortController().signal;
  return options.run({ id: job.id ?? '', seed: job.data, lost });
}

/** Turns a verdict into what BullMQ understands: a return, or one of its control-flow errors. */
async function follow(job: Job<unknown>, token: string | undefined, verdict: Promise<Verdict>): Promise<void> {
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
      if (await decided.isReady()) await promoteJob(job);
      throw new DelayedError();
    case 'hand_back':
      await job.moveToWait(token);
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
