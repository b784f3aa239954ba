/** The settings every queue and worker of the product shares, with the reason for each. */
import type { ConnectionOptions } from 'bullmq';
import type { JobId } from '../core/ids.js';

/** The few commands the queue needs beside BullMQ's own. */
export interface KeyReader {
  get(key: string): Promise<string | null>;
  lrange(key: string, start: number, stop: number): Promise<string[]>;
  hget(key: string, field: string): Promise<string | null>;
  set(key: string, value: string, px: 'PX', ms: number, nx: 'NX'): Promise<string | null>;
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

/** Keeps the order fair among principals. */
export interface Turns {
  /** The priority of a job that has no turn yet; it lies behind all that have one. */
  readonly priority: number;
  /** Gives all jobs their turn that have none yet. */
  place(queue: string): Promise<void>;
  /** Gives back the turn of a job that was removed. */
  giveBack(queue: string, id: JobId): Promise<void>;
  /** Lets a job go before all when it is handed back, and counts it among the others again once it was taken. */
  setFirst(queue: string, id: string, isFirst: boolean): Promise<void>;
  /** The places of jobs, 1 for the next to be taken; those that do not wait are left out. */
  positions(queue: string, ids: readonly JobId[]): Promise<ReadonlyMap<JobId, number>>;
}

/** What the BullMQ adapters stand on. */
export interface BullContext {
  /** The connection commands are sent on; the caller owns and closes it. */
  readonly connection: ConnectionOptions & KeyReader;
  /** Prefix of all BullMQ keys, hash-tagged. */
  readonly prefix: string;
  readonly turns: Turns;
  readonly onError: (error: Error) => void;
}

/** Jobs BullMQ keeps after their end, for the dashboard only: the product's own record is the truth. */
export const KEEP_COMPLETED = { age: 3_600, count: 500 } as const;

/** As `KEEP_COMPLETED`, for failed jobs. */
export const KEEP_FAILED = { age: 24 * 3_600, count: 500 } as const;

/** Entries of BullMQ's own event stream; nothing of ours reads it. */
export const BULL_EVENTS_CAP = 1_000;

/**
 * Milliseconds that a job is kept for a worker that nobody hears of, unless configured. It is renewed long before; one that
 * ends nevertheless is taken again, as long as the job was given to nobody else.
 */
export const LOCK_MS = 60_000;
