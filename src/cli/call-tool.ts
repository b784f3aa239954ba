/** Calls one tool as an MCP client: progress and logs to the display, signals to a cancel, the server gone afterwards. */
import { type CallToolResult, Client, type Progress } from '@modelcontextprotocol/client';
import { abortableWith } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import type { LogLevel } from '../core/events.js';
import { JOB_ID_META } from '../core/job.js';
import { type EndSignal, listenForInterrupts } from './interrupts.js';
import type { ProgressDisplay } from './progress-display.js';
import { openServer, type ServerChoice, type ServerLink } from './server-link.js';
import { plainText } from './table.js';
import { callError, connectError } from './translate.js';

/** A call to make. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Cancels the call after this long; without it a call may take as long as it likes. */
  readonly timeoutMs?: number;
  /** Least severe log messages to be shown. */
  readonly logLevel: LogLevel;
  /** Asks for more over the same connection once the tool succeeded; what it throws is the end of the call. */
  readonly more?: (result: CallToolResult, read: ReadText) => Promise<void>;
}

/** Reads a resource as text over the connection of a call. Throws `AppError` when there is none. */
export type ReadText = (uri: string) => Promise<string>;

/** What a call runs on. */
export interface CallContext {
  readonly server: ServerChoice;
  readonly version: string;
  readonly display: ProgressDisplay;
}

/** How a call ended: with the tool's result, or by a signal, after which the job was cancelled. */
export type CallEnd =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | { readonly kind: 'interrupted'; readonly by: EndSignal };

/** The longest a timer can take: a queued or parked job may be silent for days, and losing the server ends a call too. */
const NO_TIMEOUT_MS = 2_147_483_647;
const CONNECT_LIMIT_MS = 60_000;
const CONFIRM_LIMIT_MS = 5_000;

/** Makes the call. Throws `AppError` when the server cannot be reached or refuses; a failed tool is a result. */
export async function callTool(call: ToolCall, context: CallContext): Promise<CallEnd> {
  const link = openServer(context.server, context.display.note);
  const interrupts = listenForInterrupts(link.kill);
  const { signal: stop, release } = abortableWith(interrupts.signal, call.timeoutMs);
  // Protocol revision 2025-11-25 on purpose: there a dropped connection is no cancel, and the call can be resumed.
  const client = new Client({ name: 'longhaul-cli', version: context.version }, { capabilities: {} });
  showLogs(client, context.display);
  try {
    const result = await converse(client, link, { ...call, stop, display: context.display });
    return { kind: 'result', result };
  } catch (error) {
    const by = interrupts.heard();
    if (by !== undefined) return { kind: 'interrupted', by };
    if (!stop.aborted) throw error;
    const seconds = (call.timeoutMs ?? 0) / 1_000;
    throw new AppError('timed_out', `${call.tool} took longer than ${seconds} s (--timeout); it was cancelled.`);
  } finally {
    release();
    await link.close();
    await client.close().catch(() => undefined);
    interrupts.close();
    context.display.stop();
  }
}

type Conversation = ToolCall & { readonly stop: AbortSignal; readonly display: ProgressDisplay };

async function converse(client: Client, link: ServerLink, call: Conversation): Promise<CallToolResult> {
  try {
    await client.connect(link.transport, { timeout: CONNECT_LIMIT_MS, signal: call.stop });
    if (client.getServerCapabilities()?.logging) await client.setLoggingLevel(call.logLevel);
  } catch (error) {
    throw await connectError(error, link);
  }
  const result = await callFollowed(client, link, call);
  if (!result.isError) await askMore(client, link, { ...call, result });
  return result;
}

async function callFollowed(client: Client, link: ServerLink, call: Conversation): Promise<CallToolResult> {
  let jobId: string | undefined;
  try {
    return await client.callTool(
      { name: call.tool, arguments: call.args },
      {
        signal: call.stop,
        timeout: NO_TIMEOUT_MS,
        resetTimeoutOnProgress: true,
        onprogress: (update: Progress) => {
          jobId = jobNamedBy(update) ?? jobId;
          const { progress, total, message = '' } = update;
          call.display.progress({
            progress,
            ...(total !== undefined && { total }),
            ...(message !== '' && { message: plainText(message) }),
          });
        },
      },
    );
  } catch (error) {
    if (call.stop.aborted) await confirmCancel(client, call, jobId);
    throw await callError(error, link);
  }
}

async function askMore(
  client: Client,
  link: ServerLink,
  { more, stop, result }: Conversation & { readonly result: CallToolResult },
): Promise<void> {
  await more?.(result, async (uri) => {
    try {
      const { contents } = await client.readResource({ uri }, { signal: stop });
      return contents.map((part) => ('text' in part ? part.text : '')).join('');
    } catch (error) {
      throw await callError(error, link);
    }
  });
}

/**
 * A cancel is a notification, which nobody answers, so the job itself is asked whether it ended. Before the first progress
 * its id is not known, but it is the newest of its tool; were it another's, nothing is claimed and little time is lost.
 */
async function confirmCancel(client: Client, { tool, display }: Conversation, jobId?: string): Promise<void> {
  display.note('Cancelling the job; press Ctrl-C again to leave at once.');
  const ask = async (name: string, args: Record<string, unknown>) => {
    const options = { timeout: CONFIRM_LIMIT_MS };
    return (await client.callTool({ name, arguments: args }, options)).structuredContent;
  };
  try {
    const id = jobId ?? newestJob(await ask('list_jobs', { tool, limit: 1 }));
    const wait_seconds = Math.floor(CONFIRM_LIMIT_MS / 1_000) - 1;
    const state = id === undefined ? undefined : fieldOf(await ask('get_job', { job_id: id, wait_seconds }), 'state');
    if (state === 'cancelled') display.note(`Job ${id} is cancelled.`);
  } catch {
    // A server that tells nothing of its jobs, or is gone: the cancel was sent, and no more can be done.
  }
}

function jobNamedBy(progress: Progress): string | undefined {
  const id = fieldOf(fieldOf(progress, '_meta'), JOB_ID_META);
  return typeof id === 'string' ? id : undefined;
}

function newestJob(page: unknown): string | undefined {
  const jobs = fieldOf(page, 'jobs');
  const id = Array.isArray(jobs) ? fieldOf(jobs[0], 'job_id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function showLogs(client: Client, display: ProgressDisplay): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
    const message = typeof data === 'string' ? data : fieldOf(data, 'message');
    display.note(`${level}: ${plainText(typeof message === 'string' ? message : JSON.stringify(data))}`);
  });
}
