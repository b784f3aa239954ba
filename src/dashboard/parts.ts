/** What the dashboard stands on; composition fills this in, so that no page knows of Redis or of the queue. */
import type { JobId } from '../core/ids.js';
import type { Overview } from '../core/overview.js';
import type { QueueCounts } from '../core/ports.js';
import type { WorkerView } from '../core/presence.js';
import type { Redactor } from '../core/redaction.js';
import type { Tolerances } from '../core/status.js';
import type { ProcessReport } from '../core/totals.js';
import type { Readiness } from '../core/trouble.js';
import type { Jobs } from '../jobs/jobs.js';

/** What pages ask while the queue can be reached. */
export interface DashboardCore {
  readonly overview: Overview;
  readonly jobs: Pick<Jobs, 'cancel' | 'retry' | 'promote'>;
  readonly redactor: Redactor;
  workers(): Promise<readonly WorkerView[]>;
  /** What front ends and workers told of themselves of late. */
  processes(): Promise<readonly ProcessReport[]>;
  counts(queue: string): Promise<QueueCounts>;
  /** The place of a job that waits, 1 for the next to be taken. */
  position(id: JobId, queue: string): Promise<number | undefined>;
}

/** See `DashboardCore`. */
export interface DashboardParts {
  readonly version: string;
  /** Which installation this is: its namespace. */
  readonly installation: string;
  /** The host this process runs on. */
  readonly host: string;
  readonly queues: readonly string[];
  /** Whether operators with a token may change jobs. */
  readonly write: boolean;
  /** By what health is judged. */
  readonly tolerances: Tolerances;
  /** Rejects with the reason while the queue cannot be reached. */
  core(): Promise<DashboardCore>;
  readiness(): Promise<Readiness>;
  /** The queues as the queue library has them; loaded when somebody looks. */
  board(): Promise<QueueBoard>;
}

/** Pages that show the queues themselves, and change nothing. */
export interface QueueBoard {
  /** Answers for what stands behind `/queues/`; undefined if there is nothing of that name. */
  answer(
    path: string,
    query: URLSearchParams,
  ): Promise<{ readonly status: number; readonly type: string; readonly body: string | Buffer } | undefined>;
}

/** Where the board is served. */
export const BOARD_PATH = '/queues/';
