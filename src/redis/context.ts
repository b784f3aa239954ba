/** What the Redis adapters stand on: a connection, the key names and how long things are kept. */
import type { Redis } from 'ioredis';
import type { Keys } from './keys.js';

/** How long and how much is kept. */
export interface Retention {
  /** Milliseconds an outcome and its record stay readable, counted from the job's end. */
  readonly resultTtlMs: number;
  /** Milliseconds after its last sign of life that an unfinished job is forgotten. */
  readonly activeTtlMs: number;
  /** Events kept per job, roughly; the outcome is kept always. */
  readonly eventsPerJob: number;
  /** Jobs kept in a listing. */
  readonly listedJobs: number;
  /** Jobs that may wait or be about to be tried again, in the installation. */
  readonly queuedJobs: number;
  /** Unfinished jobs that a principal may have. */
  readonly jobsPerPrincipal: number;
  /** Largest result a job may store, in bytes of JSON. */
  readonly resultBytes: number;
  /** Bytes of all tables of a job, compressed. */
  readonly tableBytes: number;
}

/** Retention unless configured: results a day, unfinished jobs a week, 2,000 events, 32 MiB and 64 MiB of tables a job, 10,000 listed, 50,000 queued. */
export const DEFAULT_RETENTION: Retention = {
  resultTtlMs: 24 * 3_600_000,
  activeTtlMs: 7 * 24 * 3_600_000,
  eventsPerJob: 2_000,
  listedJobs: 10_000,
  queuedJobs: 50_000,
  jobsPerPrincipal: 20_000,
  resultBytes: 32 * 1024 * 1024,
  tableBytes: 64 * 1024 * 1024,
};

/** What the Redis adapters stand on. */
export interface RedisContext {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly retention: Retention;
}
