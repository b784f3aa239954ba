/** Which workers there are, as they tell of themselves by a beat every second: who stops beating is taken for dead. */
import { z } from 'zod';

/** What a worker tells with each beat; all of it may be shown to the operator. */
export const workerReportSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  /** Of the program, and of the records it understands. */
  version: z.string(),
  recordVersion: z.number(),
  queues: z.array(z.string()),
  /** Jobs it runs side by side, in all queues together. */
  slots: z.number(),
  startedAtMs: z.number(),
  /** Ids of the jobs it runs now. */
  jobs: z.array(z.string()),
  /** Milliseconds for which its event loop has not turned; what a busy process always has is told as 0. */
  blockedMs: z.number(),
});

/** See `workerReportSchema`. */
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** A worker as others see it. */
export interface WorkerView extends WorkerReport {
  /** By the clock of Redis. */
  readonly beatAtMs: number;
}

/** The workers with what they took since their last beat: `running` are jobs as the queue has them. */
export function withRunning(
  workers: readonly WorkerView[],
  running: readonly { readonly id: string; readonly workerId?: string }[],
): readonly WorkerView[] {
  return workers.map((worker) => {
    const taken = running.filter(({ workerId }) => workerId === worker.id).map(({ id }) => id);
    return { ...worker, jobs: [...new Set([...worker.jobs, ...taken])] };
  });
}

/** Where workers beat, and where others look who stopped. */
export interface Presence {
  beat(report: WorkerReport): Promise<void>;
  /** Forgets a worker: it ended, or what it held is others' by now. */
  leave(workerId: string): Promise<void>;
  /** Those that were heard of lately, in the order of their ids. */
  workers(): Promise<readonly WorkerView[]>;
  /** Workers that beat once, and then not for `silenceMs`. */
  silent(silenceMs: number): Promise<readonly string[]>;
  /** Whether a worker beats, or did so and was not given up yet. */
  isKnown(workerId: string): Promise<boolean>;
  /** Makes `finder` the only one that may take a silent worker's jobs, for some seconds; false if somebody else is at it. */
  claim(workerId: string, finder: string): Promise<boolean>;
}
