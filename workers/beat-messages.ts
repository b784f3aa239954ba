/** What a worker and its beating thread tell each other. */
import type { HeldJob } from '../src/bullmq/holds.js';
import type { WorkerReport } from '../src/core/presence.js';
import type { RedisAddress } from '../src/redis/connection.js';

/** What the thread is started with. */
export interface BeatData {
  readonly address: RedisAddress;
  readonly namespace: string;
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

/** To the thread: the worker took or let go of a job, or ends. */
export type BeatOrder =
  | { readonly kind: 'taken'; readonly held: HeldJob }
  | { readonly kind: 'let'; readonly token: string }
  | { readonly kind: 'end' };

/** From the thread: a first beat reached Redis, a job was given to somebody else, or all is said. */
export type BeatNews =
  | { readonly kind: 'beating' }
  | { readonly kind: 'lost'; readonly held: HeldJob }
  | { readonly kind: 'ended' };
