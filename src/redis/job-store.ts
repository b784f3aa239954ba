/** The job store on Redis: one hash a job, one key an outcome, sorted sets as indexes. */
import { AppError, reportOf } from '../core/errors.js';
import { type JobId, jobIdSchema } from '../core/ids.js';
import { JOB_STATES, type JobSeed, type Outcome, outcomeSchema } from '../core/job.js';
import { briefOf } from '../core/overview.js';
import type { Beginning, Creation, JobStore, RunClaim } from '../core/ports.js';
import { recordFromFields } from '../core/record-fields.js';
import { BYTES_PER_TOKEN } from '../core/sampling-limits.js';
import { scannedFiles } from '../core/totals.js';
import type { RedisContext, Retention } from './context.js';
import { beginJobScript, createJobScript, endJobScript, leaveJobScript, revokeScript } from './job-scripts.js';
import { createListing } from './listing.js';
import { fencedWrite, oneOf, texts } from './replies.js';

/** Long enough to look at what became of a part; its job has its own copy of the outcome. */
const ENDED_PART_TTL_MS = 600_000;

/** Tells in a job's history of a run that ended without a word. */
const CRASH = JSON.stringify(
  reportOf(new AppError('worker_crashed', 'Its worker died, or lost hold of the job.', { retryable: true })),
);

const FULL = ['queue', 'caller'] as const;
const ENDINGS = ['ended', 'already', 'missing', 'superseded'] as const;

/** Builds the job store; every method rejects with the connection's error while Redis is away. */
export function createJobStore(context: RedisContext): JobStore {
  const { redis, keys, retention } = context;
  return {
    create: (seed, claim) => createJob(context, seed, claim),
    begin: (seed, claim) => beginJob(context, seed, claim),
    async leave(id, run, to, { fault, untilMs } = {}) {
      const args = [
        run,
        to,
        fault ? JSON.stringify(fault) : '',
        retention.activeTtlMs,
        keys.wake(id),
        retention.eventsPerJob,
        untilMs ?? '',
        id,
      ];
      return fencedWrite(await leaveJobScript(redis, [keys.record(id), keys.events(id), keys.queued()], args));
    },
    async revoke(id, workerId, run = '') {
      const args = [workerId, CRASH, retention.activeTtlMs, keys.wake(id), retention.eventsPerJob, run];
      return (await revokeScript(redis, [keys.record(id), keys.events(id)], args)) === 1;
    },
    end: (id, outcome, run) => endJob(context, { id, outcome, run }),
    async get(id) {
      return recordFromFields(await redis.hgetall(keys.record(id)));
    },
    async outcome(id) {
      const text = await redis.get(keys.outcome(id));
      return text === null ? undefined : outcomeSchema.parse(JSON.parse(text));
    },
    list: createListing(context),
  };
}

/** How long a key that names a job must live so as not to vanish before the job's record. */
function longestLifeMs(retention: Retention): number {
  return retention.activeTtlMs + retention.resultTtlMs;
}

async function createJob(
  context: RedisContext,
  seed: JobSeed,
  claim: Parameters<JobStore['create']>[1],
): Promise<Creation> {
  const { redis, keys, retention } = context;
  const record = keys.record(seed.id);
  const owner = keys.owner(seed.principal);
  const reply = await createJobScript(
    redis,
    [
      record,
      claim ? keys.idempotency(seed.principal, claim.key) : record,
      keys.jobsOf(seed.principal),
      keys.allJobs(),
      keys.unfinished(),
      keys.queued(),
      keys.openPrefix + owner,
    ],
    [
      JSON.stringify(seed),
      seed.id,
      seed.createdAtMs,
      retention.activeTtlMs,
      retention.listedJobs,
      claim?.argsFingerprint ?? '',
      keys.recordPrefix,
      longestLifeMs(retention),
      seed.tool,
      seed.partOf ? 1 : 0,
      seed.queue,
      seed.v,
      owner,
      retention.queuedJobs,
      retention.jobsPerPrincipal,
      JSON.stringify(briefOf(seed)),
    ],
  );
  const [heldId, heldArgs] = String(reply).split(' ');
  if (heldId === 'full') return { kind: 'full', what: oneOf(FULL, heldArgs) };
  if (!heldId || heldId === seed.id) return { kind: 'created' };
  return { kind: 'existing', id: jobIdSchema.parse(heldId), sameArguments: heldArgs === claim?.argsFingerprint };
}

async function beginJob(context: RedisContext, seed: JobSeed, claim: RunClaim): Promise<Beginning> {
  const { redis, keys, retention } = context;
  const { id, principal } = seed;
  const reply = await beginJobScript(
    redis,
    [
      keys.record(id),
      keys.events(id),
      keys.jobsOf(principal),
      keys.allJobs(),
      claim.hold?.key ?? keys.record(id),
      keys.unfinished(),
      keys.queued(),
      keys.journal(id),
      keys.inputs(id),
    ],
    [
      JSON.stringify(seed),
      id,
      seed.createdAtMs,
      retention.activeTtlMs,
      claim.workerId,
      claim.run,
      keys.wake(id),
      longestLifeMs(retention),
      seed.tool,
      seed.partOf ? 1 : 0,
      claim.hold?.token ?? '',
      CRASH,
      seed.queue,
      seed.v,
      keys.owner(principal),
      JSON.stringify(briefOf(seed)),
    ],
  );
  const [kind, first, crashes, lost = '', resumes] = texts(reply);
  if (kind === 'superseded') return { kind };
  if (kind === 'ended') return { kind, state: oneOf(JOB_STATES, first) };
  const counts = { attempt: Number(first), crashes: Number(crashes) };
  const run = { kind: oneOf(['run'], kind), ...counts, ...(resumes === '1' && { resumes: true }) };
  const [lostRun = '', atMs = ''] = lost.split(' ');
  return lostRun === '' || atMs === '' ? run : { ...run, lost: { run: lostRun, startedAtMs: Number(atMs) } };
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
    [
      keys.record(id),
      keys.events(id),
      keys.outcome(id),
      keys.journal(id),
      keys.inputs(id),
      keys.tables(id),
      keys.unfinished(),
      keys.queued(),
    ],
    [
      run ?? '',
      outcome.state,
      json,
      retention.resultTtlMs,
      keys.wake(id),
      keys.budgetPrefix,
      id,
      BYTES_PER_TOKEN,
      ENDED_PART_TTL_MS,
      keys.openPrefix,
      ...countedOf(outcome),
    ],
  );
  const [ending, state, freed] = texts(reply);
  const kind = oneOf(ENDINGS, ending);
  if (kind === 'already') return { kind, state: oneOf(JOB_STATES, state) };
  return kind === 'ended' && freed === '1' ? { kind, freed: true } : { kind };
}

/** What is counted of an outcome beside that it came about: its error code, and the files of a scan. */
function countedOf(outcome: Outcome): (string | number)[] {
  const scanned = scannedFiles(outcome);
  return [outcome.state === 'failed' ? outcome.error.code : '', scanned?.read ?? '', scanned?.cache ?? ''];
}
