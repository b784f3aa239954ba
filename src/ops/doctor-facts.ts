/** The facts that the doctor judges, as they are gathered from the host and from Redis. */

import type { Trouble } from '../core/trouble.js';

/** A folder; if it is missing, `writable` says whether it can be made. */
export interface FolderFacts {
  readonly path: string;
  readonly kind: 'folder' | 'missing' | 'other';
  readonly writable: boolean;
  /** Permission bits; only of what exists. */
  readonly mode?: number;
  /** Whether it belongs to another user. */
  readonly foreign?: boolean;
}

/** Facts about this host. */
export interface HostFacts {
  /** Without the `v`. */
  readonly nodeVersion: string;
  /** Undefined if git cannot be run. */
  readonly gitVersion: string | undefined;
  readonly freeMemoryBytes: number;
  readonly totalMemoryBytes: number;
  readonly dataFolder: FolderFacts;
  readonly cacheFolder: FolderFacts;
  /** Whether the program of a worker loads, or what it says if not; absent where nobody looked. */
  readonly worker?: { readonly fault: string | undefined };
}

/** Facts about a Redis that answers; undefined where the server keeps one to itself. */
export interface RedisFacts {
  readonly reachable: true;
  readonly product: 'Redis' | 'Valkey';
  readonly version: string | undefined;
  readonly role: string | undefined;
  readonly evictionPolicy: string | undefined;
  readonly aofEnabled: boolean | undefined;
  readonly aofWritesOk: boolean | undefined;
  readonly fsync: string | undefined;
  /** 0 for no limit. */
  readonly maxMemoryBytes: number | undefined;
  readonly usedMemoryBytes: number | undefined;
  readonly systemMemoryBytes: number | undefined;
  readonly pingMedianMs: number;
  readonly pingWorstMs: number;
  /** Negative if Redis' clock is behind this host's. */
  readonly clockAheadMs: number | undefined;
  /** What the server said to a script like the queue's, and what that means. */
  readonly scriptFault: { readonly said: string; readonly trouble: Trouble } | undefined;
  readonly pubSubMs: number | undefined;
}

/** A Redis that was not found, or that does not answer. */
export interface RedisAway {
  readonly reachable: false;
  readonly why: string;
  readonly trouble: Trouble;
}

/** Everything the doctor looks at. */
export interface DoctorFacts {
  readonly host: HostFacts;
  /** Which Redis is used, in words; undefined if none was found. */
  readonly source: string | undefined;
  /** Whether Redis is the private one, whose data lies in the data folder. */
  readonly isPrivate: boolean;
  readonly redis: RedisFacts | RedisAway;
}
