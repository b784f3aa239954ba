/** The job store in memory, with the same answers as the one on Redis. */
import { AppError, reportOf } from '../../../src/core/errors.js';
import type { JobId } from '../../../src/core/ids.js';
import { type AttemptFault, isFinal, type JobRecord, type JobSeed, type Outcome } from '../../../src/core/job.js';
import type {
  Beginning,
  Creation,
  Ending,
  FencedWrite,
  IdempotencyClaim,
  JobStore,
  ListQuery,
  RunClaim,
} from '../../../src/core/ports.js';
import { releaseBudgets } from './budget-ledger.js';
import { fence, jsonCopy, type Memory, type MemoryJob } from './memory.js';

const FAULTS_KEPT = 20;

/** Builds the store over a shared memory. */
export function createFakeJobStore(memory: Memory): JobStore {
  const reached = async <T>(act: () => T): Promise<T> => {
    await memory.reach();
    return act();
  };
  return {
    create: (seed, claim) => reached(() => create(memory, seed, claim)),
    begin: (seed, claim) => reached(() => begin(memory, seed, claim)),
    leave: (id, run, to, how) => reached(() => leave(memory, { id, run, to, fault: how?.fault })),
    revoke: (id, workerId, run) => reached(() => revoke(memory, { id, workerId, run })),
    end: (id, outcome, run) => reached(() => end(memory, { id, outcome, run })),
    get: (id) => reached(() => recordOf(memory.live(id))),
    outcome: (id) => reached(() => (memory.live(id) ? memory.outcomes.get(id) : undefined)),
    list: (query) => reached(() => list(memory, query)),
  };
}

function create(memory: Memory, seed: JobSeed, claim: IdempotencyClaim | undefined): Creation {
  const key = claim && JSON.stringify([seed.principal, claim.key]);
  if (claim && key !== undefined) {
    const held = memory.claims.get(key);
    const holder = held && memory.live(held.id);
    if (held && holder && holder.seed.id !== seed.id) {
      return { kind: 'existing', id: holder.seed.id, sameArguments: held.argsFingerprint === claim.argsFingerprint };
    }
  }
  const what = memory.live(seed.id) || seed.partOf ? undefined : fullOf(memory, seed.principal);
  if (what !== undefined) return { kind: 'full', what };
  if (claim && key !== undefined) memory.claims.set(key, { id: seed.id, argsFingerprint: claim.argsFingerprint });
  if (!memory.live(seed.id)) memory.jobs.set(seed.id, freshJob(memory, seed));
  return { kind: 'created' };
}

function fullOf(memory: Memory, principal: string): 'queue' | 'caller' | undefined {
  const whole = [...memory.jobs.values()].filter(({ seed, state }) => !seed.partOf && !isFinal(state));
  const own = whole.filter(({ seed }) => seed.principal === principal);
  if (own.length >= memory.retention.jobsPerPrincipal) return 'caller';
  const queued = whole.filter(({ state }) => state === 'waiting' || state === 'delayed');
  return queued.length >= memory.retention.queuedJobs ? 'queue' : undefined;
}

function freshJob(memory: Memory, seed: JobSeed): MemoryJob {
  const keptUntilMs = memory.now() + memory.retention.activeTtlMs;
  return { seed: jsonCopy(seed), state: 'waiting', attempt: 0, crashes: 0, faults: [], keptUntilMs };
}

function begin(memory: Memory, seed: JobSeed, claim: RunClaim): Beginning {
  const job = memory.live(seed.id) ?? freshJob(memory, seed);
  if (isFinal(job.state)) return { kind: 'ended', state: job.state };
  memory.jobs.set(seed.id, job);
  if (job.state === 'active' && job.run === claim.run) return running(memory, job);
  if (job.state === 'active') addCrash(memory, job);
  if (job.state === 'delayed' || job.attempt === 0) job.attempt += 1;
  job.state = 'active';
  job.run = claim.run;
  job.workerId = claim.workerId;
  job.startedAtMs ??= memory.now();
  job.runAtMs = memory.now();
  keepAlive(memory, job);
  memory.emit(seed.id, { type: 'state', state: 'active', attempt: job.attempt });
  memory.wake(seed.id, 'event');
  const { lost } = job;
  delete job.lost;
  return lost ? { ...running(memory, job), lost } : running(memory, job);
}

function addCrash(memory: Memory, job: MemoryJob): void {
  const error = reportOf(
    new AppError('worker_crashed', 'Its worker died, or lost hold of the job.', { retryable: true }),
  );
  job.crashes += 1;
  job.lost = { run: job.run ?? '', startedAtMs: job.runAtMs ?? 0 };
  job.faults = [...job.faults, { attempt: job.attempt, atMs: memory.now(), error }].slice(-FAULTS_KEPT);
}

interface Revocation {
  readonly id: JobId;
  readonly workerId: string;
  readonly run: string | undefined;
}

function revoke(memory: Memory, { id, workerId, run }: Revocation): boolean {
  const job = memory.live(id);
  if (job?.state !== 'active' || job.workerId !== workerId) return false;
  if (run !== undefined && job.run !== run) return false;
  addCrash(memory, job);
  job.state = 'waiting';
  job.run = '';
  keepAlive(memory, job);
  memory.emit(id, { type: 'state', state: 'waiting', attempt: job.attempt }, memory.retention.eventsPerJob);
  memory.wake(id, 'event');
  return true;
}

function running(memory: Memory, { seed, attempt, crashes }: MemoryJob): Extract<Beginning, { kind: 'run' }> {
  const resumes = memory.journals.has(seed.id) || memory.inputs.has(seed.id);
  return { kind: 'run', attempt, crashes, ...(resumes && { resumes }) };
}

interface Leave {
  readonly id: JobId;
  readonly run: string;
  readonly to: 'waiting' | 'delayed' | 'parked';
  readonly fault: AttemptFault | undefined;
}

function leave(memory: Memory, { id, run, to, fault }: Leave): FencedWrite {
  const job = memory.live(id);
  const allowed = fence(job, run);
  if (!job || allowed !== 'written' || job.state === to) return allowed;
  job.state = to;
  if (fault) job.faults = [...job.faults, jsonCopy(fault)].slice(-FAULTS_KEPT);
  keepAlive(memory, job);
  memory.emit(id, { type: 'state', state: to, attempt: job.attempt }, memory.retention.eventsPerJob);
  memory.wake(id, 'event');
  return 'written';
}

interface End {
  readonly id: JobId;
  readonly outcome: Outcome;
  readonly run: string | undefined;
}

function end(memory: Memory, { id, outcome, run }: End): Ending {
  const { resultBytes, resultTtlMs } = memory.retention;
  if (Buffer.byteLength(JSON.stringify(outcome)) > resultBytes) {
    throw new AppError('result_too_large', `The result is larger than the ${resultBytes} bytes a job may store.`);
  }
  const job = memory.live(id);
  if (!job) return { kind: 'missing' };
  if (isFinal(job.state)) return { kind: 'already', state: job.state };
  if (run !== undefined && job.run !== run) return { kind: 'superseded' };
  job.state = outcome.state;
  job.endedAtMs = memory.now();
  job.expiresAtMs = job.endedAtMs + resultTtlMs;
  job.keptUntilMs = job.expiresAtMs;
  memory.outcomes.set(id, jsonCopy(outcome));
  const freed = releaseBudgets(memory, id);
  memory.journals.delete(id);
  memory.inputs.delete(id);
  if (outcome.state !== 'completed') memory.tables.delete(id);
  memory.emit(id, { type: 'outcome', state: outcome.state });
  memory.wake(id, 'ended');
  return freed ? { kind: 'ended', freed } : { kind: 'ended' };
}

function list(memory: Memory, query: ListQuery): Awaited<ReturnType<JobStore['list']>> {
  const records = [...memory.jobs.keys()]
    .map((id) => recordOf(memory.live(id)))
    .filter((record) => record !== undefined)
    .filter((record) => record.seed.partOf === undefined)
    .filter((record) => query.principal === undefined || record.seed.principal === query.principal)
    .filter((record) => query.tool === undefined || record.seed.tool === query.tool)
    .filter((record) => query.states === undefined || query.states.includes(record.state))
    .sort((a, b) => compare(b.seed, a.seed));
  const { after, limit } = query;
  const rest = after ? records.filter((record) => compare(record.seed, after) < 0) : records;
  return { jobs: rest.slice(0, limit), totalCount: records.length, hasMore: rest.length > limit };
}

/** Older first; ids settle a tie, so that pages never overlap. */
function compare(a: { createdAtMs: number; id: string }, b: { createdAtMs: number; id: string }): number {
  return a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function keepAlive(memory: Memory, job: MemoryJob): void {
  job.keptUntilMs = memory.now() + memory.retention.activeTtlMs;
}

function recordOf(job: MemoryJob | undefined): JobRecord | undefined {
  if (!job) return undefined;
  const { run: _run, runAtMs: _at, lost: _lost, keptUntilMs: _kept, ...record } = job;
  return jsonCopy(record);
}
