/** Puts a job's open questions to a 2026-07-28 client: as a result that asks, answered by a retry that carries the replies. */
import {
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { fingerprint, type JobId, jobIdSchema } from '../core/ids.js';
import { type ClientQuestion, isForClient, openIn } from '../core/input.js';
import type { Jobs } from '../jobs/jobs.js';
import type { ToolCall } from './call.js';
import { abilitiesOf, METHODS, replyOf, requestOf } from './input-wire.js';

/** Where a retry goes on: its job, and the place in the job's log the client has heard up to. */
export interface ResumePoint {
  readonly id: JobId;
  readonly cursor: string;
}

const pointSchema = z.object({ id: jobIdSchema, cursor: z.string() });

/** A client has longer than any question's deadline to come back; the job decides by its own deadlines. */
const STATE_TTL_SECONDS = 24 * 3_600;

/** The resume point a retry carries; undefined for a first round. Throws -32602 if it is forged, foreign, expired or for another call, `queue_unavailable` if that cannot be told. */
export async function resumePoint(call: ToolCall): Promise<ResumePoint | undefined> {
  const sealed = call.ctx.mcpReq.requestState<unknown>();
  if (sealed === undefined) return undefined;
  // Not within: a secret that is out of reach says nothing of the state, which a client must keep then.
  const codec = await codecOf(call);
  try {
    return pointSchema.parse(await codec.verify(z.string().parse(sealed), call.ctx));
  } catch {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'requestState is not valid for this call; start the call again without it',
    );
  }
}

/** Stores the replies a retry carries; malformed ones throw -32602, unknown and late ones change nothing. */
export async function storeReplies(call: ToolCall, jobs: Jobs, id: JobId): Promise<void> {
  const responses = call.ctx.mcpReq.inputResponses ?? {};
  const dropped = call.ctx.mcpReq.droppedInputResponseKeys ?? [];
  for (const { question, reply } of await jobs.inputs(id)) {
    // A submission is not the client's to answer on the side.
    if (!isForClient(question)) continue;
    const { key, kind } = question;
    if (!Object.hasOwn(responses, key) && !dropped.includes(key)) continue;
    const given = reply ?? (dropped.includes(key) ? undefined : replyOf(kind, responses[key]));
    if (!given)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `inputResponses.${key} is not a result of ${METHODS[kind]}`,
      );
    // Also what has a reply: whoever stored it may have died before it woke the job.
    await jobs.answer(id, key, given);
  }
}

/**
 * Asks the client everything that is open in one round. A question this request's client cannot be asked is answered so at once,
 * since a 2026 client declares its capabilities anew with every request. Undefined if nothing is left to ask.
 */
export async function askInRound(
  call: ToolCall,
  jobs: Jobs,
  point: ResumePoint,
): Promise<InputRequiredResult | undefined> {
  const abilities = abilitiesOf(call.era.capabilities);
  const open = openIn(await jobs.inputs(point.id)).filter(isForClient);
  const unable = open.filter(({ kind }) => !abilities[kind]);
  for (const question of unable) {
    await jobs.answer(point.id, question.key, { kind: 'unsupported', missing: question.kind });
  }
  if (open.length === 0 || unable.length > 0) return undefined;
  const codec = await codecOf(call);
  return inputRequired({ inputRequests: requestsOf(open, point.id), requestState: await codec.mint(point, call.ctx) });
}

function requestsOf(open: readonly ClientQuestion[], job: JobId): InputRequests {
  // The requests were built by `samplingParams`, `elicitationParams` and `requestOf`, in the shapes these types describe.
  const requests = open.map((question) => [question.key, requestOf(question, job)]);
  return Object.fromEntries(requests) as unknown as InputRequests;
}

/** Binds the state to owner, tool and arguments, under the installation's secret, so that any front end can take the retry. */
async function codecOf(call: ToolCall) {
  const { connection, name, args } = call;
  const binding = fingerprint(JSON.stringify([connection.principal, name, args]));
  return createRequestStateCodec({
    key: await call.frontEnd.secret(),
    ttlSeconds: STATE_TTL_SECONDS,
    bind: () => binding,
  });
}
