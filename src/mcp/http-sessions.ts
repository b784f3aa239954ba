/** Serves the HTTP requests of 2025-era sessions, whichever front end they began at. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { FrontEnd } from './front-end.js';
import { refuse } from './http-gate.js';
import { errorMessage } from './incoming.js';
import { requestOwner } from './login.js';
import { isInitialize, isMalformedInitialize, isRequest } from './message-kind.js';
import { headersOnly, writeResponse } from './node-response.js';
import { type LiveCall, openCall } from './open-call.js';
import type { SessionEntry } from './session-entry.js';
import { relayOf } from './session-relay.js';
import type { Reached, Sessions } from './sessions.js';

/** See `createSessionEndpoint`. */
export interface SessionEndpoint {
  /** Serves a message, which was read and judged already; `request` has the headers. */
  post(req: IncomingMessage, res: ServerResponse, posted: Posted): Promise<void>;
  get(req: IncomingMessage, res: ServerResponse): Promise<void>;
  delete(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/** What came with a POST. */
export interface Posted {
  readonly request: Request;
  readonly message: JSONRPCMessage;
}

const AWAY =
  'The sessions of this server cannot be reached just now: Redis does not answer, or takes no writes. Try again shortly.';
const RETRY_AFTER_SECONDS = '1';
const MALFORMED =
  'Invalid params: initialize takes protocolVersion (a string), capabilities (an object) and clientInfo (with name and version).';

/** How a session that was not reached is refused: 404 exactly for one that is unknown or over (2025-11-25, Session Management). */
const REFUSALS: Readonly<Record<Exclude<Reached['kind'], 'live'>, readonly [number, string, number?]>> = {
  gone: [404, 'There is no such session; it has ended or never was. Send initialize again.', -32001],
  duplicate: [400, 'A request with this id is still under way in this session. Use another id.'],
  away: [503, AWAY, -32000],
};

/** Builds the endpoint's part for 2025-era clients. */
export function createSessionEndpoint(frontEnd: FrontEnd, sessions: Sessions): SessionEndpoint {
  const serve = async (served: Served): Promise<void> => {
    const { req, res, entry } = served;
    res.once('close', sessions.touch(entry, req.method === 'GET'));
    await writeResponse(res, await answer(frontEnd, served));
  };
  const initialize = async (req: IncomingMessage, res: ServerResponse, { request, message }: Posted): Promise<void> => {
    const entry = await sessions.open(requestOwner(req));
    if (!entry) return refuse(res, 503, 'All sessions of this server are in use. Try again later.', -32000);
    const live = isRequest(message) ? openCall(frontEnd, message, entry.session.owners) : undefined;
    await serve({ req, res, entry, request, message, live });
    const { shared } = entry.session;
    if (res.statusCode !== 200 || !(shared.isStored() || shared.mayWait)) await sessions.leave(entry, true);
  };
  const inSession = async (req: IncomingMessage, res: ServerResponse, posted?: Posted): Promise<void> => {
    const message = posted?.message;
    if (message && isMalformedInitialize(message)) return refuse(res, 400, MALFORMED, -32602);
    const id = sessionIdOf(req);
    if (id === undefined) {
      return refuse(res, 400, 'The Mcp-Session-Id header is missing. Send initialize first.', -32000);
    }
    const asked = message && isRequest(message) ? message : undefined;
    const hold = req.method === 'GET' || asked?.method === 'tools/call';
    const reached = await sessions.reach(id, { principal: requestOwner(req), hold, ...(asked && { request: asked }) });
    // A stale session id on `initialize` is no reason to refuse a client that is just starting over.
    const isStale = reached.kind === 'gone' || reached.kind === 'away';
    if (isStale && posted && isInitialize(posted.message)) return initialize(req, res, posted);
    if (reached.kind !== 'live') return refuseSession(res, reached.kind);
    const request = posted?.request ?? headersOnly(req);
    await serve({ req, res, entry: reached.entry, request, message, live: reached.live });
  };
  return {
    post: (req, res, posted) =>
      isInitialize(posted.message) && sessionIdOf(req) === undefined
        ? initialize(req, res, posted)
        : inSession(req, res, posted),
    get: (req, res) => inSession(req, res),
    delete: (req, res) => inSession(req, res),
  };
}

/** Has the session answer; a message that another front end waits for is passed on before its sender hears that it was taken. */
async function answer(frontEnd: FrontEnd, { entry, request, message, live }: Served): Promise<Response> {
  const relay = message && relayOf(frontEnd, entry.session, message);
  try {
    const response = await entry.session.answer(request, message, live);
    if (response.status === 202) await relay?.();
    return response;
  } catch (err) {
    frontEnd.log.debug({ err }, 'a session could not be served');
    return away();
  } finally {
    if (live) entry.pending.delete(live.call.id);
  }
}

interface Served {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly entry: SessionEntry;
  readonly request: Request;
  readonly message?: JSONRPCMessage | undefined;
  readonly live?: LiveCall | undefined;
}

function refuseSession(res: ServerResponse, kind: keyof typeof REFUSALS): void {
  if (kind === 'away') res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  const [status, message, code] = REFUSALS[kind];
  refuse(res, status, message, code);
}

function away(): Response {
  const headers = { 'Content-Type': 'application/json', 'Retry-After': RETRY_AFTER_SECONDS };
  return new Response(JSON.stringify(errorMessage(-32000, AWAY)), { status: 503, headers });
}

function sessionIdOf(req: IncomingMessage): string | undefined {
  const id = req.headers['mcp-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
