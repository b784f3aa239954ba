/** Accepts a job: validated, idempotent, and durably stored before anybody hears its id. */
import { AppError } from '../core/errors.js';
import { fingerprint, type JobId, newJobId, type Principal } from '../core/ids.js';
import { type ClientAbilities, NO_ABILITIES } from '../core/input.js';
import { isFinal, type JobRecord, type JobSeed, RECORD_VERSION } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import { parseArguments, type ToolContract } from '../core/tool.js';
import type { TraceContext } from '../core/tracing.js';
import { checkSize, overloaded } from './admission.js';
import { ownedRecord } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';
import { redactArguments } from './redact-stored.js';

/** A request for a job. */
export interface SubmitRequest {
  readonly principal: Principal;
  /** The id a new job gets; a fresh one unless said. */
  readonly id?: JobId;
  /** As the caller sent them. */
  readonly args: unknown;
  /** Absolute folders the job may read. */
  readonly allowedFolders: readonly string[];
  /** How the caller wrote the paths among the arguments, by what they were resolved to. */
  readonly given?: Readonly<Record<string, string>>;
  /** What the caller's client can be asked. */
  readonly client?: ClientAbilities;
  /** Fingerprint of the session the caller's client asks from, if there is one. */
  readonly session?: string;
  /** Where in a trace the job belongs. */
  readonly trace?: TraceContext | undefined;
  /** The same key of the same principal names the same job. */
  readonly idempotencyKey?: string;
}

/** An accepted job; `existing` if an idempotency key led to an earlier one. */
export interface Submission {
  readonly id: JobId;
  readonly existing: boolean;
}

/**
 * Stores and queues a job. Throws `invalid_arguments`, `arguments_too_large`, `overloaded`, `idempotency_conflict`,
 * `redaction_failed` or `queue_unavailable`.
 */
export async function submitJob(ports: JobPorts, contract: ToolContract, request: SubmitRequest): Promise<Submission> {
  const parsed = parseArguments(contract, request.args);
  // Before they are searched for secrets, which takes long for many, and after, since placeholders may be longer.
  checkSize(ports, parsed);
  const args = await redactArguments(ports.redactor, contract, parsed);
  checkSize(ports, args);
  const seed: JobSeed = {
    v: RECORD_VERSION,
    id: request.id ?? newJobId(),
    tool: contract.name,
    queue: contract.queue,
    principal: request.principal,
    args,
    allowedFolders: [...request.allowedFolders],
    createdAtMs: ports.now(),
    ...(request.given && { given: { ...request.given } }),
    ...(request.client && { client: request.client }),
    ...(request.session !== undefined && { session: request.session }),
    ...(request.trace && { trace: request.trace }),
  };
  return store(ports, seed, request.idempotencyKey);
}

/** Runs an ended job's request again as a job of its own, for the same owner. Throws `job_not_found` if it is gone. */
export async function retryJob(ports: JobPorts, id: string, asker: Asker): Promise<Submission> {
  const record = await ownedRecord(ports, id, asker);
  if (!isFinal(record.state)) {
    throw new AppError('invalid_arguments', `Job ${id} is still ${record.state}; only an ended job can be run again.`);
  }
  const { partOf } = record.seed;
  // Its outcome would be delivered to that job once more.
  if (partOf) throw new AppError('invalid_arguments', `Job ${id} is a part of job ${partOf.id}; run that one again.`);
  const again = { v: RECORD_VERSION, id: newJobId(), createdAtMs: ports.now(), retryOf: record.seed.id };
  // No call is attached to it, so nobody could be asked, and it is no part of that call's trace.
  const { session: _, trace: _trace, ...asked } = record.seed;
  const seed = { ...asked, ...again, client: NO_ABILITIES };
  return store(ports, seed, undefined);
}

async function store(ports: JobPorts, seed: JobSeed, key: string | undefined): Promise<Submission> {
  const claim =
    key === undefined ? undefined : { key, argsFingerprint: fingerprint(stableJson([seed.tool, seed.args])) };
  const creation = await ports.store.create(seed, claim);
  if (creation.kind === 'created') {
    await ports.queue.add(seed);
    return { id: seed.id, existing: false };
  }
  if (creation.kind === 'full') throw overloaded(creation.what);
  if (!creation.sameArguments) {
    throw new AppError(
      'idempotency_conflict',
      `The idempotency key was used before with another tool or other arguments (job ${creation.id}). Use a new key.`,
    );
  }
  // The front end that claimed the key may have died in the midst of it.
  const held = await ports.store.get(creation.id);
  if (held) await nudge(ports, held);
  return { id: creation.id, existing: true };
}

/** Does once more what a front end that died may have left undone; harmless if it did not. Throws `job_not_found` as `inspectJob`. */
export async function nudgeJob(ports: JobPorts, id: string, asker: Asker): Promise<void> {
  await nudge(ports, await ownedRecord(ports, id, asker));
}

async function nudge({ queue }: JobPorts, { state, seed }: JobRecord): Promise<void> {
  // Stored and not queued: adding again changes nothing about a job that is.
  if (state === 'waiting') await queue.add(seed);
  // Answered and not woken: a run that finds nothing new parks again.
  if (state === 'parked') await queue.promote(seed.id, seed.queue);
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isPlainObject(inner) ? sortKeys(inner) : inner));
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
