/** A job's record, its seed in the queue and its outcome, as they are stored. */
import { z } from 'zod';
import { type ErrorReport, isErrorCode } from './errors.js';
import type { progressSchema } from './events.js';
import { type HandOff, SUBMIT_TOOL } from './hand-off.js';
import { jobIdSchema } from './ids.js';
import { clientSchema } from './input.js';
import type { JsonObject } from './json.js';
import { partOfSchema } from './part.js';
import { traceContextSchema } from './tracing.js';

/** The version of stored records this program writes and understands. */
export const RECORD_VERSION = 1;

/** The `_meta` field by which results and progress notifications name their job. */
export const JOB_ID_META = 'longhaul/jobId';

/** Where a job stands; the last three are final. */
export const JOB_STATES = ['waiting', 'active', 'parked', 'delayed', 'completed', 'failed', 'cancelled'] as const;

/** See `JOB_STATES`. */
export type JobState = (typeof JOB_STATES)[number];

/** Whether nothing can happen to a job in this state any more. */
export function isFinal(state: JobState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

const jsonObject = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);

const errorReport = z
  .object({ code: z.string(), message: z.string(), retryable: z.boolean() })
  .transform((value): ErrorReport => ({ ...value, code: isErrorCode(value.code) ? value.code : 'internal' }));

/** What a worker needs to run a job; travels in the queue and can rebuild a lost record. */
export const jobSeedSchema = z.object({
  v: z.number(),
  id: jobIdSchema,
  tool: z.string(),
  queue: z.string(),
  principal: z.string(),
  args: jsonObject,
  /** Absolute folders the job may read, as the front end allowed them. */
  allowedFolders: z.array(z.string()),
  createdAtMs: z.number(),
  /** How the client wrote the paths among the arguments, by what they were resolved to. */
  given: z.record(z.string(), z.string()).optional(),
  /** What the client declared it can be asked; nothing, if absent. */
  client: clientSchema.optional(),
  /** Fingerprint of the session its client asked from; absent where there are none, as in 2026-07-28. */
  session: z.string().optional(),
  /** The job this one is a part of; parts are in no listing. */
  partOf: partOfSchema.optional(),
  /** The job this one repeats, if a person asked for it to be run again. */
  retryOf: jobIdSchema.optional(),
  /** Where in a trace its runs belong; a malformed one is as good as none. */
  trace: traceContextSchema.optional().catch(undefined),
});

/** See `jobSeedSchema`. */
export type JobSeed = z.infer<typeof jobSeedSchema>;

/** How one attempt of a job ended short of an outcome. */
export const attemptFaultSchema = z.object({ attempt: z.number(), atMs: z.number(), error: errorReport });

/** See `attemptFaultSchema`. */
export type AttemptFault = z.infer<typeof attemptFaultSchema>;

/** See `JobRecord.awaits`. */
export const AWAITED = ['client', 'parts'] as const;

/** Everything known about a job but its result. */
export interface JobRecord {
  readonly seed: JobSeed;
  readonly state: JobState;
  /** Attempts begun that count against the tool's limit; 0 before the first. */
  readonly attempt: number;
  /** Times a run ended without a word: its worker died, or lost hold of the job by standing still. */
  readonly crashes: number;
  readonly faults: readonly AttemptFault[];
  readonly progress?: z.infer<typeof progressSchema>;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** When the record and result are forgotten; set when the job ends. */
  readonly expiresAtMs?: number;
  readonly workerId?: string;
  /** The latest hand-off, if there was one; that of an ended job stays as the end found it. */
  readonly handOff?: HandOff;
  /** Whose answers the job waits for while it is parked: its client's, or only those of its own parts. */
  readonly awaits?: (typeof AWAITED)[number];
}

/** What a parked job can wait for: its client's answer, parts of it that run as jobs of their own, or a call of this tool. */
export const WAITS_FOR = ['client', 'parts', SUBMIT_TOOL] as const;

/** What a job waits for; undefined unless it is parked. A submission beside a question is named, since it can be made now. */
export function waitsFor({ state, handOff, awaits }: JobRecord): (typeof WAITS_FOR)[number] | undefined {
  if (state !== 'parked') return undefined;
  return handOff?.state === 'awaited' ? SUBMIT_TOOL : (awaits ?? 'client');
}

/** How a job ended, with what. */
export const outcomeSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('completed'), result: jsonObject }),
  z.object({ state: z.literal('failed'), error: errorReport }),
  z.object({ state: z.literal('cancelled'), reason: z.string() }),
]);

/** See `outcomeSchema`. */
export type Outcome = z.infer<typeof outcomeSchema>;
