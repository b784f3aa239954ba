/** Jobs that a worker passes on to others, since it cannot see what they are to read. */
import type { JobEvent } from './events.js';
import type { JobId } from './ids.js';

/** A worker's word that it cannot do a job. */
export interface Pass {
  readonly workerId: string;
  /** The workers of the job's queue that are there; those not yet asked come next. */
  readonly peers: readonly string[];
  /** Told to the job's callers the first time that it is passed on. */
  readonly event?: JobEvent;
}

/** What comes of a pass: `nobody` is left to ask; `begun` tells whether the job ever ran somewhere. */
export type Passing =
  | { readonly kind: 'passed'; readonly times: number }
  | { readonly kind: 'nobody'; readonly asked: number; readonly begun: boolean }
  | { readonly kind: 'ended' };

/** Notes with each job who cannot do it. */
export interface Passes {
  pass(id: JobId, pass: Pass): Promise<Passing>;
}
