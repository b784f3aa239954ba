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

/** What the store is and how it does, for whoever looks at it. */
export interface StoreFigures {
  /** Such as `Redis 7.2.4`. */
  readonly product: string;
  readonly usedMemoryBytes: number | undefined;
  /** 0 for no limit. */
  readonly maxMemoryBytes: number | undefined;
  readonly pingMedianMs: number;
  readonly pingWorstMs: number;
}

/** Whether a front end can serve; what it can live with is told as well. */
export interface Readiness {
  readonly ready: boolean;
  readonly complaints: readonly Complaint[];
  /** Absent while the store does not answer. */
  readonly store?: StoreFigures;
}
