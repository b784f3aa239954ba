/** The verbs of the durable core; knows nothing of MCP, Redis or BullMQ. */
import type { StoredEvent } from '../core/events.js';
import type { JobId } from '../core/ids.js';
import type { Input, StoredReply } from '../core/input.js';
import type { JobRecord, Outcome } from '../core/job.js';
import type { JsonObject, JsonValue } from '../core/json.js';
import type { Answering, AskClaim, JobPage, ListQuery } from '../core/ports.js';
import type { PageQuery, TablePage } from '../core/table.js';
import type { ToolContract } from '../core/tool.js';
import { answerJob } from './answer.js';
import { type Cancellation, cancelJob } from './cancel.js';
import { type HandingIn, handIn } from './hand-in.js';
import { inspectJob, type JobView, positionsOf } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';
import { createPatience, type PatienceOptions } from './patience.js';
import { type Promotion, promoteJob } from './promote.js';
import { readTable } from './read-table.js';
import { redactArguments } from './redact-stored.js';
import { nudgeJob, retryJob, type Submission, type SubmitRequest, submitJob } from './submit.js';
import { type WatchOptions, watchJob } from './watch.js';

/** The durable core as front ends and the command line use it. All methods reject with an `AppError`. */
export interface Jobs {
  /** Validates the arguments and stores the job durably before its id is returned. */
  submit(contract: ToolContract, request: SubmitRequest): Promise<Submission>;
  /** Parsed arguments as a job would store them: without secrets. */
  withoutSecrets(contract: ToolContract, args: JsonObject): Promise<JsonObject>;
  /** Submits an ended job's request again as a new job. */
  retry(id: string, asker: Asker): Promise<Submission>;
  /** Yields the job's events from a cursor on, live, until the outcome; ends early, silently, on abort. */
  watch(id: JobId, options: WatchOptions): AsyncGenerator<StoredEvent, void>;
  /** How an ended job ended; undefined once that has expired, or on abort. Bears an unreachable store as `watch` does. */
  outcome(id: JobId, options: PatienceOptions): Promise<Outcome | undefined>;
  /** Gives a question its reply and wakes the job; only the first reply is stored, all others change nothing. */
  answer(id: JobId, key: string, reply: StoredReply): Promise<Answering>;
  /** Gives open questions until `deadlineMs`, an epoch time: for those that had to queue before they were put. */
  postpone(id: JobId, keys: readonly string[], deadlineMs: number): Promise<void>;
  /** Gives a job that was handed over what it waits for; says if it had that already, or does not wait for it. */
  handIn(id: string, asker: Asker, value: JsonValue): Promise<HandingIn>;
  /** The job's questions, answered and open. */
  inputs(id: JobId): Promise<readonly Input[]>;
  /** Takes or renews the claim to be the only one that asks the job's questions. */
  claim(id: JobId, claim: AskClaim): Promise<boolean>;
  /** Gives up a claim. */
  unclaim(id: JobId, asker: string): Promise<void>;
  /** Ends a job as cancelled whatever it is doing; says if it had already ended. */
  cancel(id: string, asker: Asker, reason: string): Promise<Cancellation>;
  /** Lets a job that waits for its next attempt be tried at once. */
  promote(id: string, asker: Asker): Promise<Promotion>;
  /** Queues or wakes a job whose front end may have died before it did that; harmless if it is queued or awake. */
  nudge(id: string, asker: Asker): Promise<void>;
  /** A job with its place in the queue and, once it ended, its outcome. */
  inspect(id: string, asker: Asker): Promise<JobView>;
  /** A page of a table of a completed job. */
  table(id: string, asker: Asker, query: PageQuery): Promise<TablePage>;
  /** A job's stored events after a cursor, without waiting for more. */
  log(id: JobId, cursor: string): Promise<readonly StoredEvent[]>;
  list(query: ListQuery): Promise<JobPage>;
  /** The places of those of the jobs that wait in a queue, 1 for the next to be taken. */
  positions(records: readonly JobRecord[]): Promise<ReadonlyMap<JobId, number>>;
}

/** More events than any log holds. */
const WHOLE_LOG = 100_000;

/** Builds the verbs over the given ports. */
export function createJobs(ports: JobPorts): Jobs {
  return {
    submit: (contract, request) => submitJob(ports, contract, request),
    withoutSecrets: (contract, args) => redactArguments(ports.redactor, contract, args),
    retry: (id, asker) => retryJob(ports, id, asker),
    watch: (id, options) => watchJob(ports, id, options),
    outcome: (id, options) => createPatience(options)(() => ports.store.outcome(id)),
    answer: (id, key, reply) => answerJob(ports, { id, key, reply }),
    postpone: (id, keys, deadlineMs) => ports.mailbox.postpone(id, keys, deadlineMs),
    handIn: (id, asker, value) => handIn(ports, { id, asker, value }),
    inputs: (id) => ports.mailbox.read(id),
    claim: (id, claim) => ports.mailbox.claim(id, claim),
    unclaim: (id, asker) => ports.mailbox.unclaim(id, asker),
    cancel: (id, asker, reason) => cancelJob(ports, { id, asker, reason }),
    promote: (id, asker) => promoteJob(ports, id, asker),
    nudge: (id, asker) => nudgeJob(ports, id, asker),
    inspect: (id, asker) => inspectJob(ports, id, asker),
    table: (id, asker, query) => readTable(ports, { id, asker, query }),
    log: (id, cursor) => ports.log.read(id, cursor, WHOLE_LOG),
    list: (query) => ports.store.list(query),
    positions: (records) => positionsOf(ports, records),
  };
}
