/** What the MCP side stands on, and what it keeps of one connection. */
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { LogLevel } from '../core/events.js';
import { type JobId, LOCAL_PRINCIPAL, type Principal } from '../core/ids.js';
import type { JsonObject } from '../core/json.js';
import type { ProcessLog } from '../core/process-log.js';
import type { ClientRoot } from '../core/roots.js';
import type { SessionChange, SessionStore } from '../core/session-ports.js';
import type { RequestId } from '../core/session-records.js';
import type { ToolContract } from '../core/tool.js';
import type { Tracer } from '../core/tracing.js';
import type { Readiness } from '../core/trouble.js';
import type { Jobs } from '../jobs/jobs.js';
import { createQuestionSlots, type QuestionSlots } from './question-slots.js';

/** What every connection shares. */
export interface FrontEnd {
  readonly name: string;
  readonly version: string;
  /** Resolves once the queue can be reached; rejects with an `AppError` within a second if it cannot. */
  jobs(): Promise<Jobs>;
  /** Whether calls can be served, and what is amiss; answers within two seconds. */
  readiness(): Promise<Readiness>;
  /** Why nobody takes jobs, as far as this front end can tell; undefined as long as somebody may. */
  unstaffed(): Promise<string | undefined>;
  /** The secret request state is sealed with, the same in every front end of the installation. */
  secret(): Promise<string>;
  readonly tools: ReadonlyMap<string, ToolContract>;
  readonly folders: FolderPolicy;
  /** Questions that lie with one client at a time, at most. */
  readonly clientQuestions: number;
  /** Milliseconds after which a stream or call on which nothing happens says that it lives. */
  readonly keepAliveMs: number;
  readonly log: ProcessLog;
  readonly tracer: Tracer;
  /** What all front ends share of 2025-era sessions; resolves and rejects as `jobs` does. */
  sessions(): Promise<SessionStore>;
}

/** Which folders calls may read. */
export interface FolderPolicy {
  /** Absolute folders the operator allows. */
  readonly roots: readonly string[];
  /** Whether a client's declared roots are allowed as well. */
  readonly clientRoots: 'join' | 'ignore';
}

/** One client: a 2025 session, a stdio connection, or a single 2026 request. */
export interface Connection {
  readonly principal: Principal;
  /** Threshold of 2025 log messages; changed by `logging/setLevel`. */
  logLevel: LogLevel;
  /** The client's roots as last told, forgotten when it says they changed. */
  roots: readonly ClientRoot[] | undefined;
  /** The question for the roots that was asked last, forgotten when they change: its answer is then of yesterday. */
  rootsQuestion?: symbol | undefined;
  /** How often the client has said that its roots changed. */
  rootsChanges: number;
  /** Whether a 2025 client has said that it is ready. */
  initialized: boolean;
  /** Whether a 2025 client has ended its session for good. */
  gone: boolean;
  /** Fingerprint of a 2025 client's session, once it has one; a 2026 client has none. */
  session: string | undefined;
  /** The open calls of a session that any front end may serve; absent where nobody else can go on with them. */
  calls?: OpenCalls;
  /** Places for the questions that lie with the client. */
  readonly questionSlots: QuestionSlots;
  /** What a 2025 client declared; 2026 requests carry their own. */
  capabilities(): Capabilities | undefined;
  /** Why the client gave up the request of this signal, if it did; an abort without a reason here is a lost connection. */
  cancelReason(signal: AbortSignal): string | undefined;
  /** Tells the other front ends of a change; rejects if it cannot be stored. */
  share(change: SessionChange): Promise<void>;
}

/** What a call must know of itself to be gone on with elsewhere. */
export interface OpenCalls {
  planOf(id: RequestId): CallPlan | undefined;
  /** Notes that the call follows another job than planned, or what it needs to begin anew; a store that is away is borne. */
  note(id: RequestId, more: { readonly job?: JobId; readonly args?: JsonObject }): Promise<void>;
}

/** See `OpenCalls`. */
export interface CallPlan {
  /** The id its job is to have. */
  readonly job?: JobId | undefined;
  /** Set if another front end, or this one before, began the call: how far its client has heard. */
  readonly resumed?: {
    readonly cursor?: string | undefined;
    readonly progress?: number | undefined;
    readonly args?: JsonObject | undefined;
  };
}

/** Capabilities as far as tool calls care; 2026 requests carry their own. */
export type Capabilities = ClientCapabilities;

/** A connection that has said nothing yet; its owner is the one user of the machine unless said, and it hears logs from `info` on. */
export function newConnection(
  { clientQuestions }: Pick<FrontEnd, 'clientQuestions'>,
  parts: Pick<Connection, 'capabilities' | 'cancelReason'> &
    Partial<Pick<Connection, 'principal' | 'share' | 'calls' | 'questionSlots'>>,
): Connection {
  return {
    principal: LOCAL_PRINCIPAL,
    logLevel: 'info',
    roots: undefined,
    rootsChanges: 0,
    initialized: false,
    gone: false,
    session: undefined,
    questionSlots: createQuestionSlots(clientQuestions),
    share: () => Promise.resolve(),
    ...parts,
  };
}
