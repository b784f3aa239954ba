/** Which workers there are, as they tell of themselves by a beat every second: who stops beating is taken for dead. */
import { z } from 'zod';
import type { JobRow } from './overview.js';

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

/**
 * The workers with the jobs they run now. A beat may be seconds old, the queue is not: `running` are the jobs that the
 * queue has as running, and of those that only a beat names `rowsOf` tells which have ended or run elsewhere since. One
 * that cannot be read, as a newer version wrote it, is believed.
 */
export async function withRunning(
  workers: readonly WorkerView[],
  running: readonly JobRow[],
  rowsOf: (ids: readonly string[]) => Promise<readonly JobRow[]>,
): Promise<readonly WorkerView[]> {
  const taken = new Set<string>(running.map(({ id }) => id));
  const doubtful = [...new Set(workers.flatMap(({ jobs }) => jobs.filter((id) => !taken.has(id))))];
  const known = [...running, ...(doubtful.length === 0 ? [] : await rowsOf(doubtful))];
  const byId = new Map<string, JobRow>(known.map((row) => [row.id, row]));
  return workers.map((worker) => {
    const runs = ({ state, workerId }: JobRow) => state === 'active' && workerId === worker.id;
    const unknown = worker.jobs.filter((id) => !byId.has(id));
    return { ...worker, jobs: [...known.filter(runs).map(({ id }) => id), ...unknown] };
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
