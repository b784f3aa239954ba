/** The job store on Redis: one hash a job, one key an outcome, sorted sets as indexes. */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AppError } from '../core/errors.js';
import { type JobId, jobIdSchema } from '../core/ids.js';
import { JOB_STATES, type JobSeed, outcomeSchema } from '../core/job.js';
import type { Creation, JobStore } from '../core/ports.js';
import { beginJobScript, createJobScript, endJobScript, leaveJobScript } from './job-scripts.js';
import type { Keys } from './keys.js';
import { createListing } from './listing.js';
import { recordFromHash } from './record-codec.js';

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
  /** Largest result a job may store, in bytes of JSON. */
  readonly resultBytes: number;
}

/** Retention unless configured: results a day, unfinished jobs a week, 2,000 events and 32 MiB a job, 10,000 listed. */
export const DEFAULT_RETENTION: Retention = {
  resultTtlMs: 24 * 3_600_000,
  activeTtlMs: 7 * 24 * 3_600_000,
  eventsPerJob: 2_000,
  listedJobs: 10_000,
  resultBytes: 32 * 1024 * 1024,
};

/** What the Redis adapters stand on. */
export interface RedisContext {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly retention: Retention;
}

const beginReply = z.union([
  z.tuple([z.literal('run'), z.number(), z.number()]),
  z.tuple([z.literal('ended'), z.enum(JOB_STATES)]),
]);
const leaveReply = z.enum(['written', 'ended', 'superseded']);
const endReply = z.tuple([z.enum(['ended', 'already', 'missing', 'superseded']), z.string()]);

/** Builds the job store; every method rejects with the connection's error while Redis is away. */
export function createJobStore(context: RedisContext): JobStore {
  const { redis, keys, retention } = context;
  return {
    create: (seed, claim) => createJob(context, seed, claim),
    async begin(seed, claim) {
      const { id, principal } = seed;
      const reply = await beginJobScript(
        redis,
        [keys.record(id), keys.events(id), keys.jobsOf(principal), keys.allJobs()],
        [JSON.stringify(seed), id, seed.createdAtMs, retention.activeTtlMs, claim.workerId, claim.run, keys.wake(id)],
      );
      const parsed = beginReply.parse(reply);
      if (parsed[0] === 'ended') return { kind: 'ended', state: parsed[1] };
      return { kind: 'run', attempt: parsed[1], crashes: parsed[2] };
    },
    async leave(id, run, to, fault) {
      const args = [
        run,
        to,
        fault ? JSON.stringify(fault) : '',
        retention.activeTtlMs,
        keys.wake(id),
        retention.eventsPerJob,
      ];
      return leaveReply.parse(await leaveJobScript(redis, [keys.record(id), keys.events(id)], args));
    },
    end: (id, outcome, run) => endJob(context, { id, outcome, run }),
    async get(id) {
      return recordFromHash(await redis.hgetall(keys.record(id)));
    },
    async outcome(id) {
      const text = await redis.get(keys.outcome(id));
      return text === null ? undefined : outcomeSchema.parse(JSON.parse(text));
    },
    list: createListing(context),
  };
}

async function createJob(
  context: RedisContext,
  seed: JobSeed,
  claim: Parameters<JobStore['create']>[1],
): Promise<Creation> {
  const { redis, keys, retention } = context;
  const record = keys.record(seed.id);
  const reply = await createJobScript(
    redis,
    [record, claim ? keys.idempotency(seed.principal, claim.key) : record, keys.jobsOf(seed.principal), keys.allJobs()],
    [
      JSON.stringify(seed),
      seed.id,
      seed.createdAtMs,
      retention.activeTtlMs,
      retention.listedJobs,
      claim?.argsFingerprint ?? '',
      record.slice(0, -seed.id.length),
    ],
  );
  const [heldId, heldArgs] = z.string().parse(reply).split(' ');
  if (!heldId || heldId === seed.id) return { kind: 'created' };
  return { kind: 'existing', id: jobIdSchema.parse(heldId), sameArguments: heldArgs === claim?.argsFingerprint };
}

interface EndRequest {
  readonly id: JobId;
  readonly outcome: Parameters<JobStore['end']>[1];
  readonly run: string | undefined;
}

async function endJob(context: RedisContext, request: EndRequest): ReturnType<JobStore['end']> {
  const { redis, keys, retention } = context;
  const { id, outcome, run } = request;
  const json = JSON.stringify(outcome);
  const bytes = Buffer.byteLength(json);
  if (bytes > retention.resultBytes) {
    throw new AppError(
      'result_too_large',
      `The result is ${bytes} bytes of JSON; a job may store ${retention.resultBytes}. Narrow the request and run it again.`,
    );
  }
  const reply = await endJobScript(
    redis,
    [keys.record(id), keys.events(id), keys.outcome(id), keys.journal(id)],
    [run ?? '', outcome.state, json, retention.resultTtlMs, keys.wake(id)],
  );
  const [kind, state] = endReply.parse(reply);
  if (kind === 'already') return { kind, state: z.enum(JOB_STATES).parse(state) };
  return { kind };
}
