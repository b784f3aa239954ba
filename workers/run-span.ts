/** The span of one run of a job on a worker, and of the run before it that ended without a word. */
import { AbortReason } from '../src/core/abort.js';
import { reportOf } from '../src/core/errors.js';
import type { Question } from '../src/core/input.js';
import type { JobSeed } from '../src/core/job.js';
import type { Beginning } from '../src/core/ports.js';
import { runSpanName, type Span, type SpanAttributes, type Tracer } from '../src/core/tracing.js';
import { Parked, type RunResult } from './run-context.js';

type Begun = Extract<Beginning, { kind: 'run' }>;

/** Which run of which job. */
export interface RunStart {
  readonly seed: JobSeed;
  readonly run: string;
  readonly workerId: string;
  readonly begun: Begun;
}

/**
 * Begins the span of a run, as part of the trace that led to its job. A worker that was killed could not end its span, so that is
 * done here in its place: its id is derived from the run, which what the dead run began names as its parent.
 */
export function startRun(tracer: Tracer, { seed, run, workerId, begun }: RunStart): Span {
  const { attempt, crashes, lost } = begun;
  const attributes = { ...attributesOf(seed), 'longhaul.job.attempt': attempt };
  if (lost) {
    const dead = tracer.start(`process ${seed.queue}`, {
      kind: 'consumer',
      parent: seed.trace,
      startMs: lost.startedAtMs,
      name: runSpanName(lost.run),
      attributes: { ...attributes, 'longhaul.run.result': 'lost' },
    });
    dead.fail('worker_crashed');
    dead.end();
  }
  return tracer.start(`process ${seed.queue}`, {
    kind: 'consumer',
    parent: seed.trace,
    name: runSpanName(run),
    attributes: { ...attributes, 'longhaul.job.crashes': crashes, 'longhaul.worker.id': workerId },
  });
}

/** Ends it with what the run came to; `isRetried` for a failure that is tried again. */
export function endRun(span: Span, result: RunResult, isRetried: boolean): void {
  if (result instanceof Parked) span.set({ 'longhaul.run.result': 'parked' });
  else if (result instanceof AbortReason) span.set({ 'longhaul.run.result': result.kind });
  else if (result instanceof Error) {
    span.set({ 'longhaul.run.result': isRetried ? 'retried' : 'failed' });
    span.fail(reportOf(result).code);
  } else span.set({ 'longhaul.run.result': 'completed' });
  if (result instanceof AbortReason && result.kind === 'timed_out') span.fail('timed_out');
  span.end();
}

/** OpenTelemetry's names for messaging and generative AI where there are any (both in development), ours beside them. */
function attributesOf({ id, tool, queue, partOf }: JobSeed): SpanAttributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'gen_ai.tool.name': tool,
    'longhaul.job.id': partOf?.id ?? id,
    ...(partOf && { 'longhaul.part.id': id }),
  };
}

/** The questions, with the run that asks them noted where it is traced: one that was asked before stays as it is stored. */
export function tracedBy({ context }: Span, questions: readonly Question[]): readonly Question[] {
  if (!context) return questions;
  const traced = { by: context, atMs: Date.now() };
  return questions.map((question) => (question.kind === 'part' ? question : { ...question, traced }));
}

/** The handing over of parts to their queue; their runs belong to it, as those of a job do to its own. */
export function startParts(tracer: Tracer, parent: Span, { tool, queue, parts }: Handed): Span {
  return tracer.start(`send ${queue}`, {
    kind: 'producer',
    parent: parent.context,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': queue,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': parts,
      'gen_ai.tool.name': tool,
    },
  });
}

interface Handed {
  readonly tool: string;
  readonly queue: string;
  /** How many. */
  readonly parts: number;
}
