/** What operators see of an installation at a glance: rows of jobs without their arguments, counts, sessions and rates. */
import { z } from 'zod';
import type { progressSchema, StoredEvent } from './events.js';
import { type JobId, jobIdSchema, type Principal } from './ids.js';
import type { AttemptFault, AWAITED, JobSeed, JobState, WAITS_FOR } from './job.js';

/** What is kept of a seed for listings, since its arguments may be megabytes. */
export const briefSchema = z.object({
  principal: z.string(),
  session: z.string().optional(),
  /** The job this one is a part of. */
  partOf: jobIdSchema.optional(),
  /** The job this one repeats. */
  retryOf: jobIdSchema.optional(),
});

/** See `briefSchema`. */
export type Brief = z.infer<typeof briefSchema>;

/** The brief of a seed. */
export function briefOf({ principal, session, partOf, retryOf }: JobSeed): Brief {
  return { principal, session, partOf: partOf?.id, retryOf };
}

/** A job as one line of a listing. */
export interface JobRow {
  readonly id: JobId;
  readonly tool: string;
  readonly queue: string;
  readonly state: JobState;
  /** Absent for a job that an older version stored. */
  readonly brief?: Brief;
  /** Absent as `brief` is. */
  readonly createdAtMs?: number;
  readonly attempt: number;
  readonly crashes: number;
  readonly progress?: z.infer<typeof progressSchema>;
  /** When its first run began. */
  readonly startedAtMs?: number;
  /** When its latest run began. */
  readonly runAtMs?: number;
  readonly endedAtMs?: number;
  readonly workerId?: string;
  readonly awaits?: (typeof AWAITED)[number];
  /** Whether what is waited for is a submission. */
  readonly handedOver: boolean;
  /** The kinds of question it asked last, such as `sampling`. */
  readonly asks: readonly string[];
  /** Whether a reply has come that it was not run for yet. */
  readonly isAnswered: boolean;
  /** Epoch time at which it is run again whatever happens, while it is parked or delayed. */
  readonly untilMs?: number;
}

/** What a parked job can wait for; see `WAITS_FOR`. */
export type WaitsFor = (typeof WAITS_FOR)[number];

/** A job with since when it stands where it does, an epoch time. */
export type StandingRow = JobRow & { readonly sinceMs: number };

/** A minute of the installation: how many jobs came, began and ended, and by which errors. Parts of jobs are not counted. */
export interface MinuteRates {
  /** Epoch time at which it began. */
  readonly atMs: number;
  readonly submitted: number;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly failures: readonly { readonly code: string; readonly count: number; readonly latest: string | undefined }[];
}

/** A 2025-era session as operators see it; its id is its fingerprint, of use to nobody as a session id. */
export interface SessionRow {
  readonly session: string;
  readonly principal: Principal;
  readonly protocolVersion: string;
  /** As the client named itself; foreign text. */
  readonly client: string;
  /** When something was last heard of it; the future for one that is held open. */
  readonly heardAtMs: number;
  /** Calls that are not answered yet, each with a stream of its own. */
  readonly openCalls: number;
  /** Questions that lie with its client. */
  readonly openQuestions: number;
}

/** The beginning of a text that may be megabytes long. */
export interface Excerpt {
  /** A bounded number of its first bytes. */
  readonly text: string;
  /** Of the whole. */
  readonly bytes: number;
}

/** A question of a job as operators see it. */
export interface QuestionRow {
  readonly key: string;
  readonly kind: string;
  readonly askedAtMs: number;
  readonly isAnswered: boolean;
  /** As JSON, with what surrounds it where it was stored. */
  readonly question: Excerpt;
}

/** A job in as much detail as a page shows, whatever it was given and gave. */
export interface JobDetail {
  readonly row: JobRow;
  /** As JSON; cut short if it is long, and then with what was stored behind it if it ends within the excerpt. */
  readonly args: Excerpt;
  /** As JSON; absent for a job that has not ended, or whose outcome has expired. */
  readonly outcome?: Excerpt;
  /** How attempts ended short of an outcome, oldest first. */
  readonly faults: readonly AttemptFault[];
  /** Questions to its client, or to whoever calls; the newest few. */
  readonly questions: readonly QuestionRow[];
  /** The latest events, newest first. */
  readonly events: readonly StoredEvent[];
}

/** A page of jobs, newest first. */
export interface RowPage {
  readonly rows: readonly JobRow[];
  /** Where the next page begins; undefined for the last. */
  readonly next: number | undefined;
}

/** Which jobs are asked for: newest first, from a place on. */
export interface RowQuery {
  /** 0 for the newest. */
  readonly from: number;
  readonly limit: number;
  /** Only those in these states, as far as one look reaches. */
  readonly states?: readonly JobState[];
}

/** How many there are. */
export interface OverviewCounts {
  /** Jobs in the listing, whatever their state. */
  readonly listed: number;
  readonly sessions: number;
  /** Parked jobs and parts, by what they wait for. */
  readonly parked: ReadonlyMap<WaitsFor, number>;
}

/** Reads what operators look at; the cost of each depends on what is asked for, never on how many jobs there are. */
export interface Overview {
  /** The jobs of these ids that there are, in that order. */
  rows(ids: readonly string[]): Promise<readonly JobRow[]>;
  /** A job in detail; undefined if it is gone, or a newer version wrote it. */
  detail(id: JobId): Promise<JobDetail | undefined>;
  /** A page of the listed jobs; parts are not listed. */
  recent(query: RowQuery): Promise<RowPage>;
  counts(): Promise<OverviewCounts>;
  /** Those that have been parked longest for one thing. */
  parked(awaited: WaitsFor, limit: number): Promise<readonly StandingRow[]>;
  /** Those that have waited longest in a queue. */
  waiting(queue: string, limit: number): Promise<readonly StandingRow[]>;
  /** Those that run, as the queue has them; what workers tell of themselves may be a beat old. */
  running(queue: string, limit: number): Promise<readonly JobRow[]>;
  /** Those to be taken next from a queue. */
  nextIn(queue: string, limit: number): Promise<readonly JobRow[]>;
  /** Those that are due next in a queue for another attempt; parked ones left out, as far as one look reaches. */
  delayed(queue: string, limit: number): Promise<readonly JobRow[]>;
  /** The last minutes, oldest first, the current one last. */
  minutes(count: number): Promise<readonly MinuteRates[]>;
  /** The sessions that were heard of last. */
  sessions(limit: number): Promise<readonly SessionRow[]>;
  /** The clock of Redis, by which all of this is told. */
  nowMs(): Promise<number>;
}

/** How far back minutes are kept. */
export const RATE_MINUTES = 60;
