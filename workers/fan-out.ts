/** What `ctx.fanOut` does: makes parts of a job jobs of their own, waits for all of them without a slot, and joins what they came to. */
import { AppError } from '../src/core/errors.js';
import { fingerprint } from '../src/core/ids.js';
import type { StoredReply } from '../src/core/input.js';
import { type JobSeed, type Outcome, outcomeSchema, RECORD_VERSION } from '../src/core/job.js';
import { asJson, type JsonObject } from '../src/core/json.js';
import { type FanOutRequest, partId, partKey } from '../src/core/part.js';
import type { InputMailbox, JobQueue, JobStore } from '../src/core/ports.js';
import type { Span, Tracer } from '../src/core/tracing.js';
import { queueParts } from '../src/jobs/parts.js';
import { fencedOrThrow } from './fenced.js';
import { type Questions, questionOf } from './questions.js';
import { startParts } from './run-span.js';

/** What fanning out needs. */
export interface FanOutParts {
  readonly seed: JobSeed;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly questions: Questions;
  readonly mailbox: Pick<InputMailbox, 'ask'>;
  readonly store: JobStore;
  readonly queue: Pick<JobQueue, 'add'>;
  readonly tracer: Tracer;
  readonly span: Span;
}

/** A day less than an unfinished job is remembered. */
const LONGEST_PART_MS = 6 * 24 * 3_600_000;

/**
 * Builds `fanOut`. The questions are stored before the parts are queued, so that no part can end before its job waits for
 * it; a run that finds parts still open queues them again, which changes nothing unless an earlier run died in between.
 */
export function createFanOut(parts: FanOutParts) {
  return async (group: string, request: FanOutRequest): Promise<readonly JsonObject[]> => {
    parts.signal.throwIfAborted();
    const asked = request.parts.map((args, index) => ({
      args,
      key: partKey(group, index),
      kind: 'part' as const,
      asked: asJson({ tool: request.tool, args: fingerprint(JSON.stringify(args)) }),
      timeoutMs: LONGEST_PART_MS,
    }));
    const open = asked.filter(({ key }) => !parts.questions.isAnswered(key));
    const done = parts.questions.busy();
    try {
      if (open.length > 0) await send(parts, request, { group, open });
    } finally {
      done();
    }
    const replies = await Promise.all(asked.map((part) => parts.questions.ask({ ...part, prepare: async () => part })));
    return replies.map(resultOfReply);
  };
}

interface Wanted {
  readonly group: string;
  readonly open: readonly (Parameters<typeof questionOf>[0] &
    Parameters<typeof questionOf>[1] & { args: JsonObject })[];
}

async function send(parts: FanOutParts, { tool, queue, share }: FanOutRequest, { group, open }: Wanted): Promise<void> {
  const { seed, run, mailbox } = parts;
  const questions = open.map((part) => questionOf(part, part));
  fencedOrThrow(await mailbox.ask(seed.id, run, questions));
  const { principal, allowedFolders, createdAtMs, given } = seed;
  const common = { v: RECORD_VERSION, tool, queue, principal, allowedFolders, createdAtMs, ...(given && { given }) };
  const sending = startParts(parts.tracer, parts.span, { tool, queue, parts: open.length });
  const seeds = open.map(({ key, args }): JobSeed => {
    const partOf = { id: seed.id, key, group, share };
    const trace = sending.context;
    return { ...common, id: partId(seed.id, key), args, partOf, ...(trace && { trace }) };
  });
  await queueParts(parts, seeds).finally(() => sending.end());
}

function resultOfReply(reply: StoredReply): JsonObject {
  if (reply.kind !== 'answered') throw new AppError('timed_out', 'A part of the job was not done in time.');
  return resultOf(outcomeSchema.parse(reply.value));
}

/** A part has had its attempts, so its job is not tried again for it. */
function resultOf(outcome: Outcome): JsonObject {
  switch (outcome.state) {
    case 'completed':
      return outcome.result;
    case 'failed':
      throw new AppError(outcome.error.code, outcome.error.message, { retryable: false });
    case 'cancelled':
      throw new AppError('cancelled', `A part of the job was cancelled: ${outcome.reason}`);
    default:
      return outcome satisfies never;
  }
}
