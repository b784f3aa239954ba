/** Attaches a call to its job: events to notifications, outcome to result, the client's cancel to the job. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import { passesLevel, type StoredEvent } from '../core/events.js';
import type { JobId } from '../core/ids.js';
import type { JsonObject } from '../core/json.js';
import type { ToolContract } from '../core/tool.js';
import type { JobView } from '../jobs/inspect.js';
import type { Jobs } from '../jobs/jobs.js';
import type { ToolCall } from './call.js';
import { type CallProgress, createCallProgress } from './call-progress.js';
import { failure, failureOf, success } from './results.js';

/** A call and the job it attaches to. */
export interface Attachment {
  readonly call: ToolCall;
  readonly contract: ToolContract;
  readonly jobs: Jobs;
  readonly id: JobId;
  /** The parsed arguments, for rendering. */
  readonly input: JsonObject;
}

/** A call that hears nothing is told something after this long, so that its client does not give up (promise: every 15 s). */
const HEARTBEAT_MS = 10_000;
/** The first word on a job that does not start at once. */
const FIRST_HEARTBEAT_MS = 1_000;

/** Follows the job to its outcome. A lost connection only ends the following; the job goes on. */
export async function followJob(attachment: Attachment): Promise<CallToolResult> {
  const { call, jobs, id } = attachment;
  const { signal } = call.ctx.mcpReq;
  const progress = progressOf(call);
  const heart = beat(attachment, progress);
  try {
    for await (const stored of jobs.watch(id, { signal })) await forward(call, progress, stored);
    if (signal.aborted) return await abandon(attachment, progress);
    heart.stop();
    await progress.finish();
    return resultOf(attachment, await jobs.inspect(id, call.connection.principal));
  } catch (error) {
    progress.drop();
    if (signal.aborted) return await abandon(attachment, progress);
    call.frontEnd.log.warn({ err: error, jobId: id }, 'a call lost sight of its job');
    return failure(error, id);
  } finally {
    heart.stop();
    progress.drop();
  }
}

/** The client gave up or is gone; what is returned here never reaches anybody. */
async function abandon({ call, jobs, id }: Attachment, progress: CallProgress): Promise<CallToolResult> {
  progress.drop();
  const reason = call.connection.cancelReason(call.ctx.mcpReq.id, call.ctx.mcpReq.signal);
  if (reason !== undefined) {
    try {
      await jobs.cancel(id, call.connection.principal, reason);
    } catch (err) {
      call.frontEnd.log.error({ err, jobId: id }, 'a cancel could not be carried out');
    }
  }
  return failure(new AppError('cancelled', 'The call was given up by its client.'), id);
}

async function forward(call: ToolCall, progress: CallProgress, { event }: StoredEvent): Promise<void> {
  switch (event.type) {
    case 'progress':
      return progress.report(event);
    case 'log':
      return log(call, event);
    case 'state':
      if (event.state !== 'delayed') return;
      return log(call, {
        level: 'warning',
        logger: call.name,
        data: `attempt ${event.attempt} failed; it will be tried again`,
      });
    case 'question':
    case 'answer':
    case 'outcome':
      return;
    default:
      return event satisfies never;
  }
}

async function log(
  call: ToolCall,
  message: { level: Parameters<typeof passesLevel>[0]; logger: string; data: unknown },
): Promise<void> {
  const threshold = call.era.logLevel;
  if (threshold === undefined || !passesLevel(message.level, threshold) || call.ctx.mcpReq.signal.aborted) return;
  const { level, logger, data } = message;
  await call.ctx.mcpReq
    .notify({ method: 'notifications/message', params: { level, logger, data } })
    .catch(() => undefined);
}

function progressOf(call: ToolCall): CallProgress {
  const progressToken = call.ctx.mcpReq._meta?.progressToken;
  return createCallProgress(async (update) => {
    // Token 0 is a token; only its absence means that no progress was asked for.
    if (progressToken === undefined || call.ctx.mcpReq.signal.aborted) return;
    await call.ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } });
  });
}

/** Says where the job stands whenever nothing was heard of it for a while. */
function beat({ call, jobs, id }: Attachment, progress: CallProgress): { stop(): void } {
  const tell = async (): Promise<void> => {
    try {
      progress.heartbeat(standing(await jobs.inspect(id, call.connection.principal)));
    } catch {
      progress.heartbeat('the queue is out of reach; the job is safe and this call waits for it');
    }
  };
  let busy = false;
  const startedMs = Date.now();
  const timer = setInterval(() => {
    const first = progress.silentForMs() > Date.now() - startedMs;
    if (busy || (!first && progress.silentForMs() < HEARTBEAT_MS)) return;
    busy = true;
    tell().finally(() => {
      busy = false;
    });
  }, FIRST_HEARTBEAT_MS);
  return { stop: () => clearInterval(timer) };
}

function standing({ record, position }: JobView): string {
  switch (record.state) {
    case 'waiting':
      return position === undefined ? 'queued' : `queued, position ${position}`;
    case 'delayed':
      return `attempt ${record.attempt} failed; waiting before the next`;
    case 'parked':
      return 'waiting for an answer';
    default:
      return record.progress?.message ?? 'running';
  }
}

function resultOf({ contract, id, input }: Attachment, { outcome }: JobView): CallToolResult {
  switch (outcome?.state) {
    case 'completed': {
      const asJson = input.response_format === 'json';
      const text = asJson
        ? JSON.stringify(outcome.result, null, 2)
        : contract.render({ ...outcome.result }, { ...input });
      return success(outcome.result, text, id);
    }
    case 'failed':
      return failureOf(outcome.error, id);
    case 'cancelled':
      return failure(new AppError('cancelled', `The job was cancelled: ${outcome.reason}`), id);
    case undefined:
      return failure(
        new AppError('job_not_found', 'The job ended, but its result has already expired. Run it again.'),
        id,
      );
    default:
      return outcome satisfies never;
  }
}
