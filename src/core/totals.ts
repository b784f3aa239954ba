/** What the installation counts for good: every total by name, with its labels, and how one is written as a field of a store. */
import { z } from 'zod';
import type { JobId } from './ids.js';
import type { Outcome } from './job.js';

/** One total. */
export interface TotalKind {
  /** A counter only rises; a histogram counts durations by how long they took. */
  readonly type: 'counter' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

const counter = <const L extends readonly string[]>(labels: L, help: string) =>
  ({ type: 'counter', labels, help }) as const;
const histogram = <const L extends readonly string[]>(labels: L, help: string) =>
  ({ type: 'histogram', labels, help }) as const;

/**
 * Every total. Labels are bounded: tools by who serves them, error codes, states and kinds by tables of the program. Counters are
 * exposed under their name and `_total`, durations under their name and `_seconds`.
 */
export const TOTALS = {
  jobs_accepted: counter(['tool', 'queue'], 'Jobs that were accepted, parts of jobs left out.'),
  jobs_refused: counter(['limit'], 'Submissions refused as overloaded: by the queue or by what one caller may have.'),
  jobs_ended: counter(['tool', 'queue', 'outcome'], 'Jobs that ended, by how, parts of jobs left out.'),
  jobs_failed: counter(['tool', 'code'], 'Jobs that failed, by error code, parts of jobs left out.'),
  jobs_cancelled: counter(['state'], 'Jobs that were cancelled, by the state they were in.'),
  parts_ended: counter(['tool', 'outcome'], 'Parts of jobs that ended, by how.'),
  job_wait: histogram(['tool', 'queue'], 'From the acceptance of a job to the begin of its first run.'),
  job: histogram(['tool', 'queue'], 'From the acceptance of a job to its end, whatever that was.'),
  run: histogram(
    ['tool', 'queue'],
    'One run of a job or part on a worker, up to its end, its wait or its next attempt.',
  ),
  cancel: histogram([], 'From the cancel of a running job to the moment at which its worker let go of it.'),
  retries: counter(['tool'], 'Attempts that failed and are made again.'),
  runs_lost: counter(
    ['found'],
    'Runs that ended without a word, by who found out: recovery of a dead worker, or redelivery.',
  ),
  workers_lost: counter(
    ['by'],
    'Workers that died, by who found out: their parent by their exit, or others by their silence.',
  ),
  repairs: counter(['repair'], 'Jobs out of order between record and queue that were repaired.'),
  questions_asked: counter(['kind'], 'Questions that jobs put to clients, or to whoever called.'),
  questions_answered: counter(['kind', 'reply'], 'Questions that got their reply, by how it ended.'),
  answers_late: counter(['kind'], 'Replies that came after the first, and changed nothing.'),
  question: histogram(['kind'], 'From a question to its reply.'),
  event_lag: histogram([], 'From the writing of an event of a job to its arrival at the front end that forwards it.'),
  notifications: counter(
    ['result'],
    'Tries to tell the webhook of an ended job, by what came of them: delivered, retry, given_up; or dropped for want of room.',
  ),
  scanned_files: counter(['from'], 'Files of completed scans: read, or known from an earlier scan.'),
} as const satisfies Record<string, TotalKind>;

/** The name of a total. */
export type TotalName = keyof typeof TOTALS;

/** The labels of a total with their values. */
export type LabelsOf<Name extends TotalName> = Readonly<Record<(typeof TOTALS)[Name]['labels'][number], string>>;

/** Upper bounds of the buckets of all durations, in milliseconds; above the last one there is one more. */
export const BUCKETS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 21_600_000, 86_400_000,
];

/** The bucket of a duration that is longer than all bounds. */
export const LONGER = 'more';

/** The fields of totals that a store may hold; further ones are counted under `DROPPED`. */
export const TOTALS_CAP = 5_000;

/** The field that counts what found no room. */
export const DROPPED = 'dropped';

/** The field of a counter: its name and the values of its labels, in the order of the table. */
export function counterField<Name extends TotalName>(name: Name, labels: LabelsOf<Name>): string {
  return fieldOf(name, name, labels);
}

/** The fields that a duration raises, and by how much: its bucket and the sum. */
export function durationFields<Name extends TotalName>(
  name: Name,
  labels: LabelsOf<Name>,
  ms: number,
): readonly (readonly [field: string, by: number])[] {
  const whole = Math.max(0, Math.round(ms));
  const bucket = BUCKETS_MS.find((bound) => whole <= bound) ?? LONGER;
  return [
    [fieldOf(name, `${name}:${bucket}`, labels), 1],
    [fieldOf(name, `${name}:sum`, labels), whole],
  ];
}

function fieldOf<Name extends TotalName>(name: Name, head: string, labels: LabelsOf<Name>): string {
  const given: Readonly<Record<string, string>> = labels;
  return [head, ...TOTALS[name].labels.map((label) => given[label] ?? '')].join(' ');
}

/** The kinds of processes; a supervisor runs workers without serving clients. */
export const PROCESS_ROLES = ['front_end', 'supervisor', 'worker'] as const;

/** What a process tells of itself every few seconds. */
export const processReportSchema = z.object({
  role: z.enum(PROCESS_ROLES),
  /** The latest that its event loop was late by within the last seconds, in milliseconds. */
  loopLagMs: z.number(),
  /** What Redis took to answer it, in milliseconds. */
  roundTripMs: z.number(),
  residentBytes: z.number(),
  /** Calls of tools that it has not answered yet; only a front end has any. */
  calls: z.number(),
  /** Event streams that clients hold open. */
  streams: z.number(),
});

/** See `processReportSchema`. */
export type ProcessReport = z.infer<typeof processReportSchema>;

/** A delivery of counts to the totals; the same one told twice counts once. */
export interface Publication {
  /** Unique to the process. */
  readonly process: string;
  /** Unique to this delivery. */
  readonly batch: string;
  readonly report: ProcessReport;
  /** By how much each field rises. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Jobs that stand in one place: how many, and how long the longest of them has, in milliseconds. */
export interface Standing {
  readonly jobs: number;
  readonly oldestMs: number;
}

/** What the totals hold, as of one moment. */
export interface TotalsView {
  /** By field, as written by `counterField` and `durationFields`. */
  readonly totals: ReadonlyMap<string, number>;
  /** Ready to be run, by queue. */
  readonly waiting: ReadonlyMap<string, Standing>;
  /** Parked, by what they wait for. */
  readonly parked: ReadonlyMap<string, Standing>;
  readonly sessions: number;
  /** The processes that were heard of lately. */
  readonly processes: readonly ProcessReport[];
}

/** Totals of an installation, kept where its jobs are, so that they outlive every process. */
export interface Totals {
  publish(publication: Publication): Promise<void>;
  /** Forgets what a process told of itself; its counts stay. */
  leave(process: string): Promise<void>;
  /** Counts how long a cancelled job went on running, now that its worker has let go of it. */
  letGo(id: JobId): Promise<void>;
  read(): Promise<TotalsView>;
}

/** The files of a completed scan, read and known from before; undefined for any other outcome. */
export function scannedFiles(outcome: Outcome): { readonly read: number; readonly cache: number } | undefined {
  if (outcome.state !== 'completed') return undefined;
  const { files_scanned: files, from_cache: cache } = outcome.result;
  if (!isCount(files) || !isCount(cache)) return undefined;
  return { read: Math.max(0, files - cache), cache };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
