/** One delivered job through its pipeline: parse, take, run, normalise, report; every path ends in a verdict. */
import { randomUUID } from 'node:crypto';
import { AbortReason } from '../src/core/abort.js';
import { AppError, type ErrorReport, reportOf } from '../src/core/errors.js';
import { type JobId, jobIdSchema } from '../src/core/ids.js';
import { type Input, openIn } from '../src/core/input.js';
import { type JobSeed, jobSeedSchema, type Outcome, RECORD_VERSION } from '../src/core/job.js';
import { pause } from '../src/core/lifecycle.js';
import { groupOf, isGroupDone } from '../src/core/part.js';
import type { Delivery, JobStore, Verdict } from '../src/core/ports.js';
import { deliverPart, isOrphan } from '../src/jobs/parts.js';
import { seePaths } from './pass-on.js';
import type { Waiting } from './questions.js';
import { createWakes, type ExecutorDeps, Parked, type RunContext, type RunResult, type Wakes } from './run-context.js';
import { runHandler } from './run-handler.js';
import { endRun, startRun, tracedBy } from './run-span.js';
import { createSuspects, isSuspect, type Suspects } from './suspects.js';

/** Worker deaths a job survives; one more and it is given up as poison. */
const CRASH_LIMIT = 3;

/** A job this program cannot run yet is looked at again after this long. */
const LEAVE_ALONE_MS = 10_000;

/** A job that is kept apart from the one that runs looks again after this long. */
const APART_MS = 1_000;

/** Doubled often enough, the wait would outlast the time that an unfinished job is remembered. */
const LONGEST_BACKOFF_MS = 3_600_000;

/** A worker that cannot store what it did has no better use for its slot; after this long others may try the job. */
const STORE_LIMIT_MS = 600_000;
const STORE_RETRY_MS = 1_000;

/** A job in line for its session's budget is woken when its turn comes; it looks for itself this often, lest that was lost. */
const LINE_CHECK_MS = 30_000;

/**
 * A job is woken by the last of its parts; it looks for itself this often, and queues again what it misses. A Redis that dies
 * may lose a part, or the wake-up, that it had acknowledged within its last sync.
 */
const PARTS_CHECK_MS = 30_000;

/** Builds the pipeline; the returned function never rejects. */
export function createExecutor(deps: ExecutorDeps): (delivery: Delivery) => Promise<Verdict> {
  const suspects = createSuspects();
  return async (delivery) => {
    try {
      return await execute(deps, suspects, delivery);
    } catch (err) {
      // Only the store itself can bring us here: the job goes back and is tried when the store answers again.
      deps.logger.error({ err, jobId: delivery.id }, 'the job could not be run; it goes back to the queue');
      return { kind: 'delay', untilMs: Date.now() + 1_000 };
    }
  };
}

async function execute(deps: ExecutorDeps, suspects: Suspects, delivery: Delivery): Promise<Verdict> {
  const version = (delivery.seed as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > RECORD_VERSION) return leaveAlone();
  const parsed = jobSeedSchema.safeParse(delivery.seed);
  if (!parsed.success) return refuse(deps, delivery, parsed.error);
  const seed = parsed.data;
  const tool = deps.tools.get(seed.tool);
  if (!tool) {
    // Whoever passes it on must not wait for this worker to be asked.
    await deps.passes.pass(seed.id, { workerId: deps.workerId, peers: [] });
    return leaveAlone();
  }

  const sight = await seePaths(deps, seed, tool.contract);
  if (sight.kind === 'verdict') return sight.verdict;
  if (suspects.isBusy() && (await isKeptApart(deps.store, seed.id))) return putOff();
  const run = randomUUID();
  const wakes = createWakes();
  // Listening starts before the job is taken, so that no cancel falls between.
  const stopListening = await listen(deps, seed, wakes);
  try {
    const beginning = await deps.store.begin(seed, { workerId: deps.workerId, run, ...holdOf(delivery) });
    if (beginning.kind !== 'run') return { kind: 'done' };
    if (await isOrphan(deps.store, seed.partOf)) return await endOrphan(deps, seed, run);
    const { attempt, crashes, resumes = false } = beginning;
    const span = startRun(deps.tracer, { seed, run, workerId: deps.workerId, begun: beginning });
    const logger = span.context ? deps.logger.child({ ...span.logFields, jobId: seed.id }) : deps.logger;
    const taken = { seed, tool, run, attempt, resumes, wakes, span, lost: delivery.lost };
    const context = { deps: { ...deps, logger }, policy: deps.policy.forRun(seed, run), ...taken };
    const unseen = sight.kind === 'nobody' ? reportOf(sight.error) : undefined;
    return await runTaken(context, suspects, { crashes, unseen }).finally(() => span.end());
  } finally {
    stopListening();
  }
}

interface Misgivings {
  readonly crashes: number;
  /** Why no worker can do it, if that is so. */
  readonly unseen: ErrorReport | undefined;
}

async function runTaken(context: RunContext, suspects: Suspects, { crashes, unseen }: Misgivings): Promise<Verdict> {
  const { deps, seed, run, span } = context;
  const hopeless = crashes > CRASH_LIMIT ? poisoned(crashes) : unseen;
  if (hopeless) {
    span.fail(hopeless.code);
    return end(context, { state: 'failed', error: hopeless });
  }
  const leave = suspects.enter(crashes);
  // It was taken at the same moment as another; its attempt stays unspent.
  if (!leave) return (await deps.store.leave(seed.id, run, 'waiting')) === 'written' ? putOff() : { kind: 'done' };
  const result = await runHandler(context);
  const verdict = await concludeAtLast(context, result).finally(leave);
  endRun(span, result, verdict.kind === 'delay');
  return verdict;
}

async function isKeptApart(store: Pick<JobStore, 'get'>, id: JobId): Promise<boolean> {
  const record = await store.get(id);
  return record !== undefined && isSuspect(record);
}

function putOff(): Verdict {
  return { kind: 'delay', untilMs: Date.now() + APART_MS };
}

function holdOf({ hold }: Delivery): Pick<Delivery, 'hold'> {
  return hold ? { hold } : {};
}

/** A part hears of its own end and of its job's. */
async function listen(deps: ExecutorDeps, { id, partOf }: JobSeed, wakes: Wakes): Promise<() => void> {
  const stops = await Promise.all(
    [id, ...(partOf ? [partOf.id] : [])].map((heard) => deps.log.onWake(heard, wakes.hear)),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

async function endOrphan(deps: ExecutorDeps, { id }: JobSeed, run: string): Promise<Verdict> {
  await deps.store.end(id, { state: 'cancelled', reason: 'the job this is a part of is over' }, run);
  return { kind: 'done' };
}

/** Not ours to judge: a newer worker, or one with more tools, will know what to do with it. */
function leaveAlone(): Verdict {
  return { kind: 'delay', untilMs: Date.now() + LEAVE_ALONE_MS };
}

async function refuse(deps: ExecutorDeps, delivery: Delivery, cause: Error): Promise<Verdict> {
  deps.logger.error({ err: cause, jobId: delivery.id }, 'a job in the queue is unreadable');
  const id = jobIdSchema.safeParse(delivery.id);
  const error = new AppError('unsupported_record', 'The stored job is unreadable and cannot be run. Submit it again.');
  if (id.success) await deps.store.end(id.data, { state: 'failed', error: reportOf(error) });
  return { kind: 'failed', message: error.message };
}

function poisoned(crashes: number): ErrorReport {
  const message = `Workers died or lost hold of this job ${crashes} times, so it was given up. The server log has their last words.`;
  return reportOf(new AppError('worker_crashed', message));
}

/**
 * Concludes the run however long a full or read-only Redis refuses: the work is done, and a record left active would have
 * it done again and count as a crash. Gives up when the worker stops, when the job is lost, or after `STORE_LIMIT_MS`.
 */
async function concludeAtLast(context: RunContext, result: RunResult): Promise<Verdict> {
  const { deps, seed, lost } = context;
  if (result instanceof Error && !(result instanceof AbortReason))
    deps.logger.warn({ err: result, jobId: seed.id, attempt: context.attempt }, 'an attempt failed');
  const giveUpAtMs = Date.now() + STORE_LIMIT_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await conclude(context, result);
    } catch (err) {
      const refused = err instanceof AppError && err.code === 'queue_unavailable';
      if (!refused || deps.shutdown.aborted || lost.aborted || Date.now() >= giveUpAtMs) throw err;
      if (tries === 0) deps.logger.warn({ err, jobId: seed.id }, 'what a run came to cannot be stored yet; trying on');
      await pause(STORE_RETRY_MS, deps.shutdown);
    }
  }
}

/** What a run came to, and what becomes of the job; harmless when repeated. */
async function conclude(context: RunContext, result: RunResult): Promise<Verdict> {
  if (result instanceof Parked) return park(context, result.waiting);
  if (!(result instanceof Error)) return end(context, { state: 'completed', result });
  if (result instanceof AbortReason) return concludeAborted(context, result);
  const report = await reportWithoutSecrets(context, result);
  const { attempts, backoffMs } = context.tool.contract.limits;
  if (!report.retryable || context.attempt >= attempts) return end(context, { state: 'failed', error: report });
  const untilMs = Date.now() + Math.min(backoffMs * 2 ** (context.attempt - 1), LONGEST_BACKOFF_MS);
  const fault = { attempt: context.attempt, atMs: Date.now(), error: report };
  const left = await context.deps.store.leave(context.seed.id, context.run, 'delayed', { fault, untilMs });
  return left === 'written' ? { kind: 'delay', untilMs } : { kind: 'done' };
}

/** A tool's own words may quote what it worked on. */
async function reportWithoutSecrets({ deps, seed }: RunContext, result: Error): Promise<ErrorReport> {
  const report = reportOf(result);
  try {
    return { ...report, message: (await deps.redactor.redact(report.message)).text };
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'redaction_failed') throw err;
    deps.logger.warn({ err, jobId: seed.id }, 'the words of an error are withheld');
    return {
      ...report,
      message: 'The tool failed, and its words were withheld, since they could not be searched for secrets.',
    };
  }
}

/**
 * Stores the questions, then lets go of the job until an answer or the first deadline. An answer that comes in between
 * finds nothing to wake, so the queue asks once more when the job lies there.
 */
async function park(context: RunContext, { open, inLine }: Waiting): Promise<Verdict> {
  const { deps, seed, run, policy } = context;
  const asked = await deps.mailbox.ask(seed.id, run, tracedBy(context.span, open)).catch(tooLarge);
  if (asked instanceof AppError) return end(context, { state: 'failed', error: reportOf(asked) });
  if (asked !== 'written') return { kind: 'done' };
  const untilMs = Math.min(
    ...open.map((question) => question.deadlineMs),
    ...(inLine ? [Date.now() + LINE_CHECK_MS] : []),
    ...(open.some(({ kind }) => kind === 'part') ? [Date.now() + PARTS_CHECK_MS] : []),
  );
  if ((await deps.store.leave(seed.id, run, 'parked', { untilMs })) !== 'written') return { kind: 'done' };
  const keys = new Set(open.map((question) => question.key));
  return {
    kind: 'park',
    untilMs,
    isReady: async () => (inLine && !(await policy.isInLine())) || canGoOn(await deps.mailbox.read(seed.id), keys),
  };
}

/**
 * Whether any of the questions got a reply to go on with: one part's outcome is none, the last one's is. A job that was
 * cancelled before it lay in the queue could not be taken out of it; it has no questions any more, and is run to see that.
 */
function canGoOn(inputs: readonly Input[], keys: ReadonlySet<string>): boolean {
  if (inputs.length < keys.size) return true;
  const stillOpen = openIn(inputs).map(({ key }) => key);
  return inputs.some(
    ({ question: { kind, key }, reply }) =>
      reply !== undefined && keys.has(key) && (kind !== 'part' || isGroupDone(groupOf(key), stillOpen)),
  );
}

/** The only refusal that is the job's own fault, and would be the same for ever. */
function tooLarge(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'result_too_large') return error;
  throw error;
}

async function concludeAborted(context: RunContext, reason: AbortReason): Promise<Verdict> {
  switch (reason.kind) {
    case 'cancelled':
      context.deps.totals.letGo(context.seed.id).catch(() => undefined);
      // Of a part it is the job's record that ended, not its own.
      return context.seed.partOf ? endOrphan(context.deps, context.seed, context.run) : { kind: 'done' };
    case 'superseded':
    case 'parked':
      return { kind: 'done' };
    case 'timed_out':
      return conclude(context, new AppError('timed_out', reason.message));
    case 'shutdown': {
      const left = await context.deps.store.leave(context.seed.id, context.run, 'waiting');
      return left === 'written' ? { kind: 'hand_back' } : { kind: 'done' };
    }
    default:
      return reason.kind satisfies never;
  }
}

async function end(context: RunContext, outcome: Outcome): Promise<Verdict> {
  const { store, logger } = context.deps;
  const { partOf } = context.seed;
  if (partOf) await deliverPart(context.deps, partOf, outcome, { id: context.seed.id, run: context.run });
  const ending = await storeOutcome(store, context, outcome);
  // The job has ended, whatever comes of this. One that never stood for a share of the budget leaves none to others.
  if (ending.kind !== 'ended' || ending.freed)
    await context.policy.ended().catch((err: unknown) => logger.warn({ err }, 'jobs in line could not be woken'));
  logger.info(
    { jobId: context.seed.id, tool: context.seed.tool, outcome: outcome.state, ending: ending.kind },
    'job ended',
  );
  return outcome.state === 'failed' ? { kind: 'failed', message: outcome.error.message } : { kind: 'done' };
}

async function storeOutcome(store: JobStore, context: RunContext, outcome: Outcome): ReturnType<JobStore['end']> {
  const id: JobId = context.seed.id;
  try {
    return await store.end(id, outcome, context.run);
  } catch (error) {
    return store.end(id, { state: 'failed', error: reportOf(tooLarge(error)) }, context.run);
  }
}
