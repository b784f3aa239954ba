/** A request of a session as this front end serves it, and as any other could go on with it. */
import { randomBytes } from 'node:crypto';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { newJobId } from '../core/ids.js';
import { RECORD_VERSION } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import type { Admission, TakenCall } from '../core/session-ports.js';
import type { OpenCall, RequestId } from '../core/session-records.js';
import { traceContextIn } from '../core/tracing.js';
import { type EventPlace, laterCursor, type Told } from './event-place.js';
import type { CallPlan, FrontEnd } from './front-end.js';

/** One event stream and who writes it. */
export interface LiveCall {
  /** What is stored of it. */
  call: OpenCall;
  readonly owner: string;
  /** Whether the store knows of it; what it does not know it cannot fence. */
  admitted: boolean;
  /** The number of its last event. */
  number: number;
  /** What its client was told so far. */
  told: Told;
  /** Whether an event was sent that the log lacks. */
  hasGap: boolean;
  /** The message that was sent last; settles once it is on its way. */
  sending?: Promise<void>;
  /** The name the SDK gave its stream. */
  sdkStream?: string;
  readonly resumed?: CallPlan['resumed'];
  /** Questions that lie with the client already, by job and key. */
  readonly asked: Map<string, string>;
}

/** Tools of the front end that may be called twice, and whose arguments hold nothing to hide. */
const REPEATABLE = ['get_job', 'list_jobs', 'cancel_job', 'where_can_i_work'];
const KEPT_ARGUMENT_CHARACTERS = 4_000;

/** Takes a request up under a new stream; `owners` begins the names of all owners of this front end's session. */
export function openCall(frontEnd: Pick<FrontEnd, 'tools'>, request: JSONRPCRequest, owners: string): LiveCall {
  const stream = randomBytes(12).toString('base64url');
  const call: OpenCall = {
    v: RECORD_VERSION,
    id: request.id,
    stream,
    method: request.method,
    ...(request.method === 'tools/call' && toolParts(frontEnd, request)),
  };
  return { call, owner: `${owners}${stream}`, admitted: false, number: 0, told: {}, hasGap: false, asked: new Map() };
}

function toolParts(frontEnd: Pick<FrontEnd, 'tools'>, { params }: JSONRPCRequest): Partial<OpenCall> {
  const tool = typeof params?.name === 'string' ? params.name : '';
  const progressToken = params?._meta?.progressToken;
  const trace = traceContextIn(params?._meta);
  const args = REPEATABLE.includes(tool) ? keptArguments(params?.arguments) : undefined;
  return {
    tool,
    ...(progressToken !== undefined && { progressToken }),
    ...(frontEnd.tools.has(tool) && { job: newJobId() }),
    ...(args && { args }),
    ...(trace && { trace }),
  };
}

function keptArguments(args: unknown): JsonObject | undefined {
  const isSmall = JSON.stringify(args ?? {}).length <= KEPT_ARGUMENT_CHARACTERS;
  return isSmall && (args === undefined || (typeof args === 'object' && args !== null)) ? { ...args } : undefined;
}

/** The call as the store takes it up. */
export function admissionOf({ call, owner }: LiveCall, owners: string): Admission {
  return { call, owner, ownedBefore: owners };
}

/** A call of another front end, to be gone on with here; its client has seen the events up to `seen`. */
export function resumedCall(taken: TakenCall, owner: string, seen: EventPlace): LiveCall {
  const { call, lastNumber } = taken;
  const told = furthest(taken, seen.told);
  const asked = taken.questions.flatMap(({ job, key, wireId }): [string, string][] =>
    job !== undefined && key !== undefined ? [[questionName({ job, key }), wireId]] : [],
  );
  const args = call.args as JsonObject | undefined;
  return {
    call,
    owner,
    admitted: true,
    number: Math.max(lastNumber, seen.number),
    told,
    hasGap: seen.told !== undefined,
    resumed: { ...told, args },
    asked: new Map(asked),
  };
}

/** The log may lack what its client heard last, or hold what it has not heard yet. */
function furthest({ cursor, progress }: TakenCall, seen: Told = {}): Told {
  const heard = [progress, seen.progress].filter((value) => value !== undefined);
  return {
    cursor: laterCursor(cursor, seen.cursor),
    progress: heard.length > 0 ? Math.max(...heard) : undefined,
  };
}

/** One name for a question of a job. */
export function questionName({ job, key }: { readonly job: string; readonly key: string }): string {
  return `${job} ${key}`;
}

/** The request that begins a resumed call anew; what is missing in it the handler finds by the call's id. */
export function requestAgain({ id, method, tool, args, progressToken, trace }: OpenCall): JSONRPCRequest {
  const _meta = { ...(progressToken !== undefined && { progressToken }), ...trace };
  const hasMeta = Object.keys(_meta).length > 0;
  const params = { name: tool ?? '', arguments: args ?? {}, ...(hasMeta && { _meta }) };
  return { jsonrpc: '2.0', id, method, params };
}

/** The calls of one session that this front end serves. */
export interface LiveCalls {
  readonly byId: Map<RequestId, LiveCall>;
  /** The call whose request the SDK is just taking: it opens one stream at a time. */
  opening: LiveCall | undefined;
}
