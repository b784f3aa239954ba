/** What can be wrong with the queue's store, as its operator is told; clients only hear the words. */

/** One kind of trouble. */
export interface Trouble {
  /** Stable name, for programs and the log. */
  readonly code: string;
  /** Half a sentence that names no address and no secret. */
  readonly words: string;
  /** What the operator can do: an exact command or setting where there is one. */
  readonly mend: string;
}

/** One thing that is amiss, or might be. */
export interface Complaint {
  readonly check: string;
  readonly status: 'warn' | 'fail';
  readonly seen: string;
  readonly mend: string;
}

/** Whether a front end can serve; what it can live with is told as well. */
export interface Readiness {
  readonly ready: boolean;
  readonly complaints: readonly Complaint[];
}
