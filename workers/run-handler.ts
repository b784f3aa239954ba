/** Runs a handler once, bounded by its tool's limit, and answers with its parsed result or the error that ended it. */
import { AbortReason, untilAborted } from '../src/core/abort.js';
import { AppError } from '../src/core/errors.js';
import type { Input } from '../src/core/input.js';
import { isFinal } from '../src/core/job.js';
import type { JsonObject, JsonValue } from '../src/core/json.js';
import { settlesWithin } from '../src/core/lifecycle.js';
import type { EventLog } from '../src/core/ports.js';
import { type Row, rowsOf, type TableRows } from '../src/core/table.js';
import type { ToolContract } from '../src/core/tool.js';
import { isOrphan } from '../src/jobs/parts.js';
import { createContext } from './context.js';
import { fencedOrThrow } from './fenced.js';
import { createQuestions } from './questions.js';
import { createReporter, type Reporter } from './reporter.js';
import { Parked, type RunContext, type RunResult } from './run-context.js';
import { HANDLER_UNWIND_MS } from './unwound.js';

/** Runs the handler; an aborted run answers with its `AbortReason`, whatever the handler itself said. Never rejects. */
export async function runHandler(context: RunContext): Promise<RunResult> {
  const aborter = new AbortController();
  const abort = (reason: AbortReason) => aborter.abort(reason);
  const release = armAborts(context, abort);
  const reporter = createReporter({
    log: logOf(context),
    redactor: context.deps.redactor,
    id: context.seed.id,
    run: context.run,
    onRefused: (why) => abort(refusal(why)),
    onError: (err) => context.deps.logger.warn({ err, jobId: context.seed.id }, 'events of a job could not be stored'),
  });
  const work = handle(context, reporter, aborter.signal);
  try {
    const result = await untilAborted(work, aborter.signal);
    await reporter.flush();
    // The last write may have been refused: then the outcome of this run is not wanted.
    if (aborter.signal.aborted) return abortReason(aborter.signal);
    // Whatever the handler still does on the side, its run is over; the next one starts from the top.
    if (result instanceof Parked) abort(new AbortReason('parked', 'the run ends here to wait for answers'));
    return result;
  } catch (error) {
    const reason = aborter.signal.aborted ? abortReason(aborter.signal) : undefined;
    if (reason && !(await settlesWithin(work, HANDLER_UNWIND_MS))) {
      context.deps.logger.error({ jobId: context.seed.id, tool: context.seed.tool }, 'a handler ignores its abort');
    }
    await settlesWithin(reporter.flush(), HANDLER_UNWIND_MS);
    return reason ?? (error instanceof Error ? error : new Error(String(error)));
  } finally {
    release();
  }
}

async function handle(context: RunContext, reporter: Reporter, signal: AbortSignal): Promise<JsonObject | Parked> {
  const { deps, seed, tool, run, attempt, policy, span } = context;
  const [finished, inputs] = await leftOver(context);
  await policy.settle(inputs);
  const questions = createQuestions(inputs, {
    times: { clientMs: deps.inputTimeoutMs, submissionMs: deps.submissionTimeoutMs },
    admit: (candidate) => policy.admit(candidate),
    decide: async (decided) => fencedOrThrow(await deps.mailbox.decide(seed.id, run, decided)),
  });
  // Reading took a while: a job that was cancelled meanwhile, or a worker that was stopped, starts no handler.
  signal.throwIfAborted();
  const input = tool.contract.input.parse(seed.args);
  const handedOver = (output: unknown) => outputForModel(context, output);
  const storableRows = (rows: TableRows) => storableTable(context, rows);
  const parts = {
    ...deps,
    seed,
    attempt,
    run,
    signal,
    reporter,
    policy,
    span,
    questions,
    finished,
    handedOver,
    storableRows,
  };
  const output = await Promise.race([
    tool.handler(input, createContext(parts)),
    questions.waiting.then((waiting) => new Parked(waiting)),
  ]);
  return output instanceof Parked ? output : storableOutput(context, output);
}

/** The result of a tool that works on text for a model is searched once more: it may quote what a handler read by itself. */
async function storableOutput(context: RunContext, output: unknown): Promise<JsonObject> {
  const { contract } = context.tool;
  return contract.modelText ? outputForModel(context, output) : parsedOutput(contract, output);
}

/** As `storableOutput`, for rows of a table. */
async function storableTable({ deps, tool }: RunContext, rows: TableRows): Promise<TableRows> {
  if (!tool.contract.modelText) return rows;
  // Texts change, nothing else does: a table stays one.
  return (await deps.redactor.redactJson(rowsOf(rows).map((row) => [...row]))) as Row[];
}

/** What is handed over is put to a model whatever the tool, that of whoever called. */
async function outputForModel({ deps, tool }: RunContext, output: unknown): Promise<JsonObject> {
  // Texts change, nothing else does: an object stays one.
  return (await deps.redactor.redactJson(parsedOutput(tool.contract, output))) as JsonObject;
}

function parsedOutput({ name, output: schema }: ToolContract, output: unknown): JsonObject {
  const parsed = schema.safeParse(output);
  if (parsed.success) return parsed.data as JsonObject;
  const fault = `The result of ${name} does not fit its own schema; this is a fault in the tool.`;
  throw new AppError('internal', fault, { cause: parsed.error });
}

/** The job's questions; one whose deadline has passed is answered `timed_out` now, unless an answer came first. */
/** The steps and questions of earlier runs; the first run of a job has none, and need not look. */
async function leftOver(context: RunContext): Promise<readonly [ReadonlyMap<string, JsonValue>, readonly Input[]]> {
  if (!context.resumes) return [new Map(), []];
  return Promise.all([context.deps.journal.read(context.seed.id), currentInputs(context)]);
}

async function currentInputs({ deps, seed }: RunContext): Promise<readonly Input[]> {
  const inputs = await deps.mailbox.read(seed.id);
  const late = inputs.filter(({ question, reply }) => !reply && question.deadlineMs <= Date.now());
  if (late.length === 0) return inputs;
  await Promise.all(late.map(({ question }) => deps.mailbox.answer(seed.id, question.key, { kind: 'timed_out' })));
  return deps.mailbox.read(seed.id);
}

/** A part tells its job what it does: nobody else listens. */
function logOf({ deps, seed }: RunContext): Pick<EventLog, 'append'> {
  const { partOf } = seed;
  if (!partOf) return deps.log;
  return { append: (id, run, events) => deps.log.appendForPart(id, run, partOf, events) };
}

/** Every way a run is told to stop, joined in one place; returns the way to disarm them. */
function armAborts(context: RunContext, abort: (reason: AbortReason) => void): () => void {
  const { deps, lost, seed, tool, wakes } = context;
  const { timeoutMs } = tool.contract.limits;
  const late = `The job ran longer than ${seed.tool} allows (${Math.round(timeoutMs / 1_000)} s). Narrow the request and try again.`;
  const timer = setTimeout(() => abort(new AbortReason('timed_out', late)), timeoutMs);
  const onShutdown = () => abort(new AbortReason('shutdown', 'the worker is stopping'));
  const onLost = () => abort(refusal('superseded'));
  const watch = (signal: AbortSignal, listener: () => void) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  };
  watch(deps.shutdown, onShutdown);
  watch(lost, onLost);
  let over = false;
  wakes.onMayHaveEnded(() => {
    if (over) return;
    const check = async () => {
      const record = await deps.store.get(seed.id);
      const ended = (record && isFinal(record.state)) || (seed.partOf && (await isOrphan(deps.store, seed.partOf)));
      if (ended && !over) abort(refusal('ended'));
    };
    check().catch((err: unknown) =>
      deps.logger.warn({ err, jobId: seed.id }, 'a job could not be checked for a cancel'),
    );
  });
  return () => {
    // The outcome of this very run wakes it as well, and is no cancel to what its handler left on the side.
    over = true;
    clearTimeout(timer);
    deps.shutdown.removeEventListener('abort', onShutdown);
    lost.removeEventListener('abort', onLost);
  };
}

function refusal(why: 'ended' | 'superseded'): AbortReason {
  return why === 'ended'
    ? new AbortReason('cancelled', 'the job was cancelled')
    : new AbortReason('superseded', 'the job was given to another worker');
}

function abortReason(signal: AbortSignal): AbortReason {
  return signal.reason instanceof AbortReason ? signal.reason : new AbortReason('superseded', String(signal.reason));
}
