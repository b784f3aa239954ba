/** Attaches a call to its job: events to notifications, outcome to result, the client's cancel to the job. */
import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server';
import { abortableWith } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import { passesLevel, type StoredEvent } from '../core/events.js';
import { JOB_ID_META } from '../core/job.js';
import { createPatience } from '../jobs/patience.js';
import { createAsker } from './ask-client.js';
import type { Attachment, ToolCall } from './call.js';
import { type CallProgress, createCallProgress } from './call-progress.js';
import { preliminaryResult } from './hand-off.js';
import { startHeartbeat } from './heartbeat.js';
import { markPlace } from './marks.js';
import { resultOf } from './outcome.js';
import { failure } from './results.js';
import { askInRound } from './round-trip.js';

/**
 * Follows the job, from `cursor` on if the call resumes, to its outcome. A lost connection only ends the following; the job
 * goes on. A call also ends when its job was handed over, with the preliminary result, and one of 2026-07-28, asking, when
 * the job waits for answers.
 */
export async function followJob(
  attachment: Attachment,
  cursor?: string,
): Promise<CallToolResult | InputRequiredResult> {
  const { call, jobs, id } = attachment;
  call.span.set({ 'longhaul.job.id': id });
  const { signal } = call.ctx.mcpReq;
  const heard: Heard = { cursor: undefined };
  const progress = progressOf(attachment, heard);
  const following = abortableWith(signal);
  const heart = startHeartbeat(attachment, progress, following);
  const asker = call.era.kind === 'legacy' ? createAsker(attachment) : undefined;
  try {
    for await (const stored of jobs.watch(id, {
      signal: following.signal,
      isNew: !attachment.existing,
      ...(cursor !== undefined && { cursor }),
    })) {
      await forward(call, progress, stored);
      if (stored.event.type === 'question') asker?.look();
      if (stored.event.type === 'answer') asker?.withdraw(stored.event.key);
      const early = await endsAt(attachment, stored);
      if (early) {
        await progress.finish();
        return early;
      }
      // Not before: whoever goes on with the call from here on would not come by what ends it.
      heard.cursor = stored.cursor;
    }
    if (signal.aborted) return await abandon(attachment, progress);
    following.signal.throwIfAborted();
    heart.stop();
    await progress.finish();
    return resultOf(attachment, await jobs.outcome(id, { signal }));
  } catch (error) {
    progress.drop();
    if (error instanceof ProtocolError) throw error;
    if (signal.aborted) return await abandon(attachment, progress);
    call.frontEnd.log.warn({ err: error, jobId: id }, 'a call lost sight of its job');
    return failure(error, id);
  } finally {
    following.release();
    asker?.stop();
    heart.stop();
    progress.drop();
  }
}

/** What to return before the outcome, if the event says that the job waits for something this call cannot wait for. */
async function endsAt(
  attachment: Attachment,
  { event, cursor }: StoredEvent,
): Promise<CallToolResult | InputRequiredResult | undefined> {
  if (event.type !== 'state' || event.state !== 'parked') return undefined;
  const { call, jobs, id } = attachment;
  const handedOver = await preliminaryResult(attachment);
  if (handedOver || call.era.kind === 'legacy') return handedOver;
  return askInRound(call, jobs, { id, cursor });
}

/** The client gave up or is gone; what is returned here never reaches anybody. */
async function abandon({ call, jobs, id, cancels }: Attachment, progress: CallProgress): Promise<CallToolResult> {
  progress.drop();
  const reason = cancels ? call.connection.cancelReason(call.ctx.mcpReq.signal) : undefined;
  if (reason !== undefined) {
    // Nobody waits for this any more, and nobody would ask again: a cancel bears an absent queue as its call did.
    const bearing = createPatience({ signal: new AbortController().signal });
    try {
      await bearing(() => jobs.cancel(id, call.connection.principal, reason));
    } catch (err) {
      call.frontEnd.log.error({ err, jobId: id }, 'a cancel could not be carried out');
    }
  }
  return failure(new AppError('cancelled', 'The call was given up by its client.'), id);
}

/** How far the client has heard; what comes up to there is not sent again by whoever goes on with the call. */
interface Heard {
  cursor: string | undefined;
}

async function forward(call: ToolCall, progress: CallProgress, { event, cursor }: StoredEvent): Promise<void> {
  switch (event.type) {
    case 'progress':
      return progress.report(event);
    case 'log':
      return log(call, event, cursor);
    case 'state':
      if (event.state !== 'delayed') return;
      return log(
        call,
        { level: 'warning', logger: call.name, data: `attempt ${event.attempt} failed; it will be tried again` },
        cursor,
      );
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
  cursor: string,
): Promise<void> {
  const threshold = call.era.logLevel;
  if (threshold === undefined || !passesLevel(message.level, threshold) || call.ctx.mcpReq.signal.aborted) return;
  const { level, logger, data } = message;
  await call.ctx.mcpReq
    .notify({ method: 'notifications/message', params: markPlace(call.connection, { level, logger, data }, cursor) })
    .catch(() => undefined);
}

/** Each notification names the job, so that a client can cancel or fetch it without waiting for the result. */
function progressOf({ call, id, toldProgress }: Attachment, heard: Heard): CallProgress {
  const progressToken = call.ctx.mcpReq._meta?.progressToken;
  return createCallProgress(async (update) => {
    // Token 0 is a token; only its absence means that no progress was asked for.
    if (progressToken === undefined || call.ctx.mcpReq.signal.aborted) return;
    const params = { progressToken, ...update, _meta: { [JOB_ID_META]: id } };
    const marked = markPlace(call.connection, params, heard.cursor);
    await call.ctx.mcpReq.notify({ method: 'notifications/progress', params: marked });
  }, toldProgress);
}
