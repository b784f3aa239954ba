/** What a worker and its beating thread tell each other. */
import type { HeldJob } from '../src/bullmq/holds.js';
import type { WorkerReport } from '../src/core/presence.js';
import type { RedisAddress } from '../src/redis/connection.js';

/** What the thread is started with. */
export interface BeatData {
  readonly address: RedisAddress;
  /** Prefix of the queues' keys. */
  readonly queuePrefix: string;
  /** The keys to beat at, and how long the first lives, in milliseconds. */
  readonly beats: { readonly key: string; readonly reportKey: string; readonly ttlMs: number };
  readonly lockMs: number;
  /** Milliseconds between two beats. */
  readonly beatMs: number;
  /** Milliseconds for which the event loop may stand still before the process is ended, as nothing else would. */
  readonly standstillMs: number;
  /** What does not change; the thread adds the rest. */
  readonly report: Omit<WorkerReport, 'jobs' | 'blockedMs'>;
  /** One 32-bit number that the worker's event loop counts up. */
  readonly turns: SharedArrayBuffer;
}

/** To the thread, several at a time: the worker took or let go of a job. */
export type BeatOrder =
  | { readonly kind: 'taken'; readonly held: HeldJob }
  | { readonly kind: 'let'; readonly holding: string };

/** From the thread: a job was given to somebody else. */
export interface BeatNews {
  readonly lost: HeldJob;
}
