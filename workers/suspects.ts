/**
 * Keeps jobs apart under which workers died: they come back together, and the one that kills its workers would take the same
 * others with it time and again, until all are given up.
 */
import type { JobRecord } from '../src/core/job.js';

/** See `createSuspects`. */
export interface Suspects {
  /** Whether one is running here. */
  isBusy(): boolean;
  /** Takes the only place there is for a job with so many crashes; undefined if it is taken. Call the result when the run is over. */
  enter(crashes: number): (() => void) | undefined;
}

/** One death befalls whatever a worker happens to run; after the second a job runs beside no other of its kind. */
const SUSPECT_AT = 2;

/** Builds the place of one worker. Jobs without enough crashes need none, and always enter. */
export function createSuspects(): Suspects {
  let busy = false;
  return {
    isBusy: () => busy,
    enter(crashes) {
      if (crashes < SUSPECT_AT) return () => undefined;
      if (busy) return undefined;
      busy = true;
      return () => {
        busy = false;
      };
    },
  };
}

/** Whether the job, once it is taken, is to be kept apart; a record left active counts one more crash then. */
export function isSuspect({ crashes, state }: Pick<JobRecord, 'crashes' | 'state'>): boolean {
  return crashes + (state === 'active' ? 1 : 0) >= SUSPECT_AT;
}
