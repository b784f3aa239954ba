/** The listener for operators: its own server, apart from the MCP endpoint, which serves a table of routes to who may have them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../core/errors.js';
import { type Service, settlesWithin } from '../core/lifecycle.js';
import type { ProcessLog } from '../core/process-log.js';
import { listen, originOf } from '../web/listen.js';
import { isUnknownToken, judgeAccess, type OpsAccessRules } from './http-access.js';
import { findRoute, type OpsReply, type OpsRoute } from './http-routes.js';
import { createRefusalNote, type RefusalNote } from './refusals.js';

/** How the listener is made. */
export interface OpsListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly access: OpsAccessRules;
  readonly routes: readonly OpsRoute[];
  readonly log: ProcessLog;
}

/** The listener as a service. */
export interface OpsListener extends Service {
  /** The origin it answers at, once started. */
  url(): string;
}

/** Nothing that is not served here itself, nothing within another page, nothing kept. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // With none at all, browsers would not say of a form which page it was on.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const BASE = 'http://localhost';

/** No answer takes longer; a browser may hold connections that it has asked nothing on. */
const ANSWER_MS = 500;

/** Builds the listener. It goes on answering while the process drains, and ends with its connections. */
export function createOpsListener(options: OpsListenerOptions): OpsListener {
  const { host, port, log } = options;
  const noteRefusal = createRefusalNote(log);
  const server = createServer((req, res) => {
    serve({ ...options, noteRefusal }, req, res).catch((err: unknown) => {
      log.error({ err }, 'a request of an operator failed by a fault');
      if (res.headersSent) res.destroy();
      else answer(req, res, sentence(500, 'A fault of this server: see its log.'));
    });
  });
  let stopped: Promise<void> | undefined;
  return {
    name: 'ops listener',
    start: () => listen(server, { host, port, options: { host: '--ops-host', port: '--ops-port' } }),
    quiet: () => Promise.resolve(),
    async stop(deadlineMs) {
      stopped ??= new Promise((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      if (await settlesWithin(stopped, Math.min(deadlineMs, ANSWER_MS))) return;
      server.closeAllConnections();
      await stopped;
    },
    url: () => originOf(server),
  };
}

interface Serving extends OpsListenerOptions {
  readonly noteRefusal: RefusalNote;
}

async function serve(options: Serving, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // What is sent along is of no use to any route, and must not hold up the answer.
  req.resume();
  const { method = 'GET', url: target = '/' } = req;
  if (!URL.canParse(target, BASE)) return answer(req, res, sentence(400, 'The target of the request is no path.'));
  const url = new URL(target, BASE);
  const found = findRoute(options.routes, method, url.pathname);
  const needs = found.kind === 'route' ? found.route.needs : 'read';
  const judged = judgeAccess(req, needs, options.access);
  if (judged.kind === 'refused') {
    if (isUnknownToken(req, options.access)) options.noteRefusal(req.socket.remoteAddress);
    const headers = judged.challenge ? { 'WWW-Authenticate': 'Basic realm="longhaul ops", charset="UTF-8"' } : {};
    return answer(req, res, { ...sentence(judged.status, judged.why), headers });
  }
  if (found.kind === 'none')
    return answer(req, res, sentence(404, 'Nothing is served here. Begin at / of a front end, or at /readyz.'));
  if (found.kind === 'other_methods') {
    const headers = { Allow: found.allowed.join(', ') };
    return answer(req, res, { ...sentence(405, `Method ${method} is not allowed here.`), headers });
  }
  const { route, params } = found;
  const request = { url, params, headers: req.headers, operator: judged.operator };
  answer(req, res, await route.handle(request).catch(refusal));
}

/** What a person hears who asked for a job that is not there, or while Redis is away. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  job_not_found: 404,
  cursor_invalid: 400,
  invalid_arguments: 400,
  overloaded: 503,
  queue_unavailable: 503,
  redis_unavailable: 503,
};

function refusal(error: unknown): OpsReply {
  const status = error instanceof AppError ? STATUS[error.code] : undefined;
  if (status === undefined || !(error instanceof AppError)) throw error;
  return sentence(status, error.message);
}

function sentence(status: number, text: string): OpsReply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

function answer(
  { method }: IncomingMessage,
  res: ServerResponse,
  { status = 200, type, body, headers }: OpsReply,
): void {
  const length = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
  res.writeHead(status, { ...HEADERS, ...length, ...headers });
  res.end(method === 'HEAD' ? undefined : body);
}
