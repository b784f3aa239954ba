/** What the sweeper knows of jobs that have not ended, and of where the queue has them. */
import type { JobId } from './ids.js';
import type { JobState } from './job.js';

/** A job that has not ended, in the few words that tell whether it is in order. */
export interface UnfinishedJob {
  readonly id: JobId;
  readonly state: JobState;
  readonly queue: string;
  /** Of the run that holds it, or held it last. */
  readonly run: string;
  readonly workerId: string | undefined;
  /** Whether a reply was stored since it was run last. */
  readonly isAnswered: boolean;
  readonly awaits: string | undefined;
  /** Epoch time at which it is to be run again whatever happens, while it is parked or delayed. */
  readonly untilMs: number | undefined;
}

/** The jobs that have not ended, by when somebody should look at them; kept up by the job store. */
export interface UnfinishedJobs {
  /** Makes the caller the only one that sweeps for so long; false if somebody else is. */
  claim(sweeper: string, forMs: number): Promise<boolean>;
  /** Those that are due for a look, the longest due first. */
  due(limit: number): Promise<readonly JobId[]>;
  /** Leaves out those that ended, and those of a newer version. */
  look(ids: readonly JobId[]): Promise<readonly UnfinishedJob[]>;
  /** Puts off the next look; those whose record is gone are forgotten. */
  putOff(ids: readonly JobId[], forMs: number): Promise<void>;
}

/** Where the queue has a job; `holder` is the worker that took it. */
export type Place =
  | { readonly kind: 'waiting' | 'delayed' | 'ended' | 'missing' }
  | { readonly kind: 'active'; readonly isLocked: boolean; readonly holder: string | undefined };
