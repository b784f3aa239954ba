/** What every HTTP request must pass before MCP sees it: Host, Origin, CORS, and a bounded JSON body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { settlesWithin } from '../core/lifecycle.js';
import { hostName, isLoopbackName } from '../web/loopback.js';
import { errorMessage } from './incoming.js';

/** Who may talk to the endpoint. */
export interface GateOptions {
  /** Host names accepted beside the loopback names, without port. */
  readonly allowedHosts: readonly string[];
  /** Browser origins accepted beside loopback ones, such as `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
}

const REQUEST_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Last-Event-ID',
];

/** How long a client may go on sending a body that is refused already. */
const DISCARD_MS = 5_000;

/**
 * Refuses foreign hosts and origins (2025-11-25 and 2026-07-28, Streamable HTTP, Security) and answers preflights.
 * Returns whether the request may go on; if not, it has been answered.
 */
export function passGate(req: IncomingMessage, res: ServerResponse, options: GateOptions): boolean {
  if (!isAllowedHost(req.headers.host, options)) {
    refuse(res, 403, 'This Host is not served here. Start the server with --allowed-host to allow it.');
    return false;
  }
  const { origin } = req.headers;
  if (origin === undefined) return true;
  if (!isAllowedOrigin(origin, options)) {
    refuse(res, 403, 'This Origin is not allowed. Start the server with --allowed-origin to allow it.');
    return false;
  }
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate');
  res.setHeader('Vary', 'Origin');
  if (req.method !== 'OPTIONS') return true;
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS.join(', '));
  res.setHeader('Access-Control-Max-Age', '600');
  res.writeHead(204).end();
  return false;
}

/**
 * Refuses a client that does not take what may be answered: both types to a POST, a stream to a GET. Wildcards and a
 * missing header take anything (RFC 9110, 12.5.1). Returns whether the request may go on; if not, it has been answered.
 */
export function passAccept(req: IncomingMessage, res: ServerResponse, types: readonly string[]): boolean {
  const ranges = (req.headers.accept ?? '*/*')
    .split(',')
    .map((range) => range.replace(/;.*/s, '').trim().toLowerCase());
  const missing = types.filter((type) => !ranges.some((range) => covers(range, type)));
  if (missing.length > 0) {
    refuse(res, 406, `Not acceptable: the Accept header must allow ${missing.join(' and ')}.`, -32000);
    return false;
  }
  // The SDK's 2025 transport looks for the names themselves, in either of the two.
  req.headers.accept = types.join(', ');
  req.rawHeaders.push('Accept', req.headers.accept);
  return true;
}

function covers(range: string, type: string): boolean {
  return range === type || range === '*/*' || range === `${type.split('/')[0]}/*`;
}

/** Answers with a JSON-RPC error; the id is known only once the body was read. */
export function refuse(res: ServerResponse, status: number, message: string, code = -32600): void {
  const body = JSON.stringify(errorMessage(code, message));
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** What came of reading a body. */
export type Body = { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'refused' };

/** Reads a JSON body of at most `maxBytes`; anything else has been answered with 413, 415 or 400. */
export async function readJsonBody(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<Body> {
  if (!/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
    return refused(res, 415, 'Content-Type must be application/json.');
  }
  const chunks: Buffer[] = [];
  let size = Number(req.headers['content-length'] ?? 0);
  if (size <= maxBytes) {
    size = 0;
    // Breaking out must not destroy the connection: the answer still has to go over it.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  }
  if (size > maxBytes) {
    await discardRest(req);
    return refused(res, 413, `The request body is larger than ${maxBytes} bytes, the limit of this server.`);
  }
  try {
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return refused(res, 400, 'Parse error: the body is not valid JSON.', -32700);
  }
}

/** Most clients read no answer before all is sent, and a connection closed before loses them the answer. */
async function discardRest(req: IncomingMessage): Promise<void> {
  req.resume();
  await settlesWithin(finished(req), DISCARD_MS);
}

function refused(res: ServerResponse, status: number, message: string, code?: number): Body {
  refuse(res, status, message, code);
  return { kind: 'refused' };
}

function isAllowedHost(host: string | undefined, options: GateOptions): boolean {
  const name = hostName(host);
  return name !== undefined && (isLoopbackName(name) || options.allowedHosts.includes(name));
}

function isAllowedOrigin(origin: string, options: GateOptions): boolean {
  if (options.allowedOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackName(hostname);
}
