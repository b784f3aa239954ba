/** One 2025-era session as this front end serves it: made by `initialize`, or revived from what another one stored. */
import { randomBytes } from 'node:crypto';
import {
  type JSONRPCRequest,
  type JSONRPCResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Principal } from '../core/ids.js';
import { asJson } from '../core/json.js';
import type { RequestId, SessionRecord } from '../core/session-records.js';
import { type Connection, type FrontEnd, newConnection, type OpenCalls } from './front-end.js';
import { clientsReason, type GuardedTransport, type GuardHooks, guardTransport } from './guard.js';
import { isResult } from './message-kind.js';
import { type LiveCall, type LiveCalls, openCall } from './open-call.js';
import { createProtocolServer } from './protocol-server.js';
import { openedAwayAtMs } from './session-ids.js';
import type { SessionLink } from './session-link.js';
import { createStreams, innerPost, type StreamParts, type Streams } from './session-streams.js';
import { createSessionWire, type SessionWire } from './session-wire.js';
import { createSharedSlots } from './shared-slots.js';
import { createSharedState, type SharedState } from './shared-state.js';

/** What a client waits before it comes back for a lost stream; sent with every stream's first event. */
const RETRY_MS = 1_000;

/** One session. */
export interface Session {
  readonly link: SessionLink;
  readonly connection: Connection;
  readonly guard: GuardedTransport;
  readonly wire: SessionWire;
  readonly calls: LiveCalls;
  readonly shared: SharedState;
  /** Begins the names of all owners of this session's calls here. */
  readonly owners: string;
  /** Has the SDK answer a request; `live` for a JSON-RPC request. */
  answer(request: Request, body?: unknown, live?: LiveCall): Promise<Response>;
}

/** What a session is made of. */
export interface SessionParts {
  readonly frontEnd: FrontEnd;
  readonly sessionId: string;
  readonly link: SessionLink;
  /** Whether streams are open that belong to no call. */
  hasStreams(): boolean;
  /** The client ends the session; it hears of that once this resolves. */
  onDeleted(): Promise<void>;
  /** The session was ended elsewhere. */
  onGone(): void;
}

/** Builds a session of this principal's that has heard nothing yet. */
export async function createSession(parts: SessionParts, principal: Principal): Promise<Session> {
  const { server, session } = assemble(parts, { principal });
  await server.connect(session.guard);
  return session;
}

/** Builds a session from its record: its client is neither bothered nor told. */
export async function reviveSession(parts: SessionParts, record: SessionRecord): Promise<Session> {
  const { server, session } = assemble(parts, { principal: record.principal, record });
  await server.connect(session.guard);
  const params = { ...record.params, protocolVersion: record.protocolVersion };
  const message: JSONRPCRequest = { jsonrpc: '2.0', id: 'revival', method: 'initialize', params };
  const response = await session.answer(innerPost(), message, openCall(parts.frontEnd, message, session.owners));
  // Ends with the answer: until then the session is nobody's.
  await response.text();
  session.shared.revived();
  return session;
}

function assemble(
  parts: SessionParts,
  { principal, record }: { readonly principal: Principal; readonly record?: SessionRecord },
) {
  const { frontEnd, sessionId, link } = parts;
  const owners = `${randomBytes(9).toString('base64url')}.`;
  const calls: LiveCalls = { byId: new Map(), opening: undefined };
  const connection = newConnection(frontEnd, {
    principal,
    capabilities: () => server.getClientCapabilities(),
    cancelReason: clientsReason,
    share: (change) => shared.share(change),
    calls: openCallsOf(calls, link),
    questionSlots: createSharedSlots({ limit: frontEnd.clientQuestions, link, owner: owners }),
  });
  connection.session = link.session;
  const shared = createSharedState({ link, connection, record, mayWait: openedAwayAtMs(sessionId) !== undefined });
  const onOver: StreamParts['onOver'] = (live, why) => {
    if (why === 'gone') parts.onGone();
    else if (why === 'lost') guard.forgo(live.call.id);
    else calls.byId.delete(live.call.id);
  };
  const streams = createStreams({
    ...{ link, calls, owners, sessionId, onOver },
    transport: () => transport,
    factsOf: (message) => wire.factsOf(message),
    storing: shared.storing,
    isInFlight: (id) => guard.isInFlight(id),
    inUse: () => guard.inFlight() > 0 || parts.hasStreams(),
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    onsessionclosed: parts.onDeleted,
    eventStore: streams.eventStore,
    retryInterval: RETRY_MS,
    keepAliveMs: frontEnd.keepAliveMs,
  });
  const hooks = {
    onWithdrawn: (wireId: string) => link.try((store) => store.settle(link.session, wireId)),
    beforeResponse: (message: JSONRPCResponse) => agree(message, shared),
  };
  const wire = createSessionWire(transport, { calls, hooks });
  const guard: GuardedTransport = guardTransport(wire, hooksOf(transport, calls, link));
  const server = createProtocolServer(frontEnd, connection);
  const answer = answerWith(streams, transport, shared);
  return { server, session: { link, connection, guard, wire, calls, shared, owners, answer } };
}

/** A call that is not answered here would leave its stream open for ever. */
function hooksOf(transport: WebStandardStreamableHTTPServerTransport, calls: LiveCalls, link: SessionLink): GuardHooks {
  const close = (id: RequestId): void => {
    const sent = calls.byId.get(id)?.sending ?? Promise.resolve();
    calls.byId.delete(id);
    // What was asked on behalf of the call is withdrawn on its stream.
    sent.catch(() => undefined).then(() => transport.closeSSEStream(id));
  };
  return {
    onForgone: close,
    onCancelled(id) {
      const owner = calls.byId.get(id)?.owner;
      close(id);
      if (owner !== undefined) link.try((store) => store.drop(link.session, id, owner));
    },
  };
}

const UNSTORED =
  'The session could not be stored: Redis does not answer, or takes no writes. Send initialize again shortly.';

/** Stores a new session with what was agreed on, before its client hears of it; one that no other front end would know is refused. */
async function agree(message: JSONRPCResponse, shared: SharedState): Promise<JSONRPCResponse> {
  if (!isResult(message) || !('protocolVersion' in message.result)) return message;
  try {
    await shared.agreed(String(message.result.protocolVersion));
    return message;
  } catch {
    return { jsonrpc: '2.0', id: message.id, error: { code: -32000, message: UNSTORED } };
  }
}

function answerWith(
  streams: Streams,
  transport: WebStandardStreamableHTTPServerTransport,
  shared: SharedState,
): Session['answer'] {
  return (request, body, live) => {
    if (live?.call.method === 'initialize') shared.asked(asJson(Object((body as JSONRPCRequest).params)));
    if (live) return streams.open(request, body, live);
    const lastEventId = request.method === 'GET' ? request.headers.get('last-event-id') : null;
    if (lastEventId) return streams.replay(request, lastEventId);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

/** What the handlers of calls may ask of them. */
function openCallsOf(calls: LiveCalls, link: SessionLink): OpenCalls {
  return {
    planOf(id) {
      const live = calls.byId.get(id);
      return live && { job: live.call.job, ...(live.resumed && { resumed: live.resumed }) };
    },
    async note(id, more) {
      const live = calls.byId.get(id);
      if (!live) return;
      live.call = { ...live.call, ...more };
      const { call, owner } = live;
      await link.use((store) => store.note(link.session, { call, owner })).catch(() => undefined);
    },
  };
}
