/** The Streamable HTTP endpoint `/mcp`: 2025-era sessions and stateless 2026-07-28 requests side by side. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { pause, type Service } from '../core/lifecycle.js';
import { serveHealth } from '../web/health.js';
import { listen, originOf } from '../web/listen.js';
import type { Login } from '../web/login.js';
import type { FrontEnd } from './front-end.js';
import { type GateOptions, passAccept, passGate, readJsonBody, refuse } from './http-gate.js';
import { createSessionEndpoint, type SessionEndpoint } from './http-sessions.js';
import { readMessage } from './incoming.js';
import { passLogin } from './login.js';
import { isRequest } from './message-kind.js';
import { headersOnly } from './node-response.js';
import type { SessionJobs } from './session-ending.js';
import { createSessions, type Sessions } from './sessions.js';
import { createStateless, type Stateless } from './stateless.js';

/** How the endpoint listens and what it accepts. */
export interface HttpOptions extends GateOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly login: Login;
  readonly maxBodyBytes: number;
  readonly sessionIdleMs: number;
  /** What becomes of the jobs that calls of a session still wait for when it ends. */
  readonly sessionJobs: SessionJobs;
  /** Sessions of 2025 at most. */
  readonly sessionLimit: number;
}

/** The endpoint as a service. */
export interface HttpService extends Service {
  /** The address it listens on, once started. */
  url(): string;
  /** What lies with it now: calls that are not answered yet, and responses that are still open. */
  load(): { readonly calls: number; readonly streams: number };
}

const ENDPOINT = '/mcp';
const BASE = 'http://localhost';
/** What an answer to a GET may be. */
const STREAM_TYPES = ['text/event-stream'];
/** What an answer to a POST may be, at the server's choice. */
const ANSWER_TYPES = ['application/json', ...STREAM_TYPES];
/** A draining endpoint looks this often whether the calls under way are answered. */
const DRAIN_CHECK_MS = 50;

interface Endpoint {
  readonly frontEnd: FrontEnd;
  readonly options: HttpOptions;
  readonly sessions: Sessions;
  readonly legacy: SessionEndpoint;
  readonly modern: Stateless;
  /** True once the process is stopping: nothing new is taken. */
  draining: boolean;
  /** Until then calls under way may be answered; sooner with each `stop` that is in more of a hurry. */
  giveUpAtMs: number;
}

/** Builds the endpoint. `quiet` refuses new requests with 503, but takes notifications and answers; `stop` waits for calls under way, then ends all streams. */
export function createHttpService(frontEnd: FrontEnd, options: HttpOptions): HttpService {
  const { sessionIdleMs: idleMs, sessionLimit: limit, sessionJobs: jobs } = options;
  const sessions = createSessions(frontEnd, { idleMs, limit, jobs });
  const state = { draining: false, giveUpAtMs: Number.POSITIVE_INFINITY };
  const served = { legacy: createSessionEndpoint(frontEnd, sessions), modern: createStateless(frontEnd) };
  const endpoint: Endpoint = { frontEnd, options, sessions, ...served, ...state };
  const server = createServer((req, res) => {
    serve(endpoint, req, res).catch((err: unknown) => {
      frontEnd.log.error({ err }, 'an HTTP request failed by a fault');
      if (!res.headersSent) refuse(res, 500, 'Internal error', -32603);
      else res.destroy();
    });
  });
  // Answers may take hours; only the receipt of a request is bounded (Node's requestTimeout).
  server.keepAliveTimeout = 75_000;
  let stopped: Promise<void> | undefined;
  return {
    name: 'http endpoint',
    start: () => listen(server, { ...options, options: { host: '--host', port: '--port' } }),
    async quiet() {
      endpoint.draining = true;
    },
    stop(deadlineMs) {
      endpoint.giveUpAtMs = Math.min(endpoint.giveUpAtMs, Date.now() + deadlineMs);
      stopped ??= shutDown(endpoint, server);
      return stopped;
    },
    load() {
      const modern = endpoint.modern.inFlight();
      return { calls: sessions.inFlight() + modern, streams: sessions.streams() + modern };
    },
    url: () => `${originOf(server)}${ENDPOINT}`,
  };
}

async function serve(endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!passGate(req, res, endpoint.options)) return;
  // A target such as `//` is no path of a URL at all.
  const path = URL.canParse(req.url ?? '/', BASE) ? new URL(req.url ?? '/', BASE).pathname : '';
  const { frontEnd } = endpoint;
  const health = { readiness: () => frontEnd.readiness(), isDraining: () => endpoint.draining };
  if (await serveHealth(path, health, req, res)) return;
  if (path !== ENDPOINT) {
    return refuse(res, 404, `Nothing is served here. The MCP endpoint is ${ENDPOINT}.`);
  }
  if (!passLogin(req, res, endpoint.options.login)) return;
  switch (req.method) {
    case 'POST':
      return post(endpoint, req, res);
    case 'GET':
      if (endpoint.draining) return refuseNew(res);
      if (!passAccept(req, res, STREAM_TYPES)) return;
      return endpoint.legacy.get(req, res);
    case 'DELETE':
      return endpoint.legacy.delete(req, res);
    default:
      res.setHeader('Allow', 'GET, POST, DELETE, OPTIONS');
      return refuse(res, 405, `Method ${req.method} is not allowed here.`, -32000);
  }
}

async function post(endpoint: Endpoint, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!passAccept(req, res, ANSWER_TYPES)) return;
  const body = await readJsonBody(req, res, endpoint.options.maxBodyBytes);
  if (body.kind === 'refused') return;
  const incoming = readMessage(body.value);
  if (incoming.kind === 'invalid') return refuse(res, 400, `Invalid request: ${incoming.why}.`);
  // Calls under way are still cancelled, and what they ask of their client is still answered.
  if (endpoint.draining && isRequest(incoming.message)) return refuseNew(res);
  const request = headersOnly(req);
  if (!(await isLegacyRequest(request, body.value))) {
    return endpoint.modern.serve(incoming.message, req, res);
  }
  return endpoint.legacy.post(req, res, { request, message: incoming.message });
}

function refuseNew(res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  res.setHeader('Retry-After', '1');
  refuse(res, 503, 'The server is shutting down. Try again shortly.', -32000);
}

async function shutDown(endpoint: Endpoint, server: Server): Promise<void> {
  endpoint.draining = true;
  while (endpoint.sessions.inFlight() + endpoint.modern.inFlight() > 0 && Date.now() < endpoint.giveUpAtMs) {
    await pause(DRAIN_CHECK_MS);
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.all([endpoint.sessions.close(), endpoint.modern.close()]);
  server.closeIdleConnections();
  server.closeAllConnections();
  await closed;
}
