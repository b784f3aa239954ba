/** Between Node's HTTP objects and the SDK's web ones, where its own way falls short: heads at once, and ends in both directions. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The headers that the SDK and what stands before it read; a request takes long to build of all that clients send. */
const READ_HEADERS = [
  'accept',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
] as const;

/** The request without its body, which is handed over beside it, and with the headers that matter. */
export function headersOnly(req: IncomingMessage): Request {
  const headers = READ_HEADERS.flatMap((name): [string, string][] => {
    const value = req.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return new Request('http://localhost/mcp', { method: req.method ?? 'POST', headers });
}

/** Writes a response, its head before its first event; a client that is gone ends the stream. Resolves when all is written. */
export async function writeResponse(res: ServerResponse, response: Response): Promise<void> {
  const reader = response.body?.getReader();
  if (res.destroyed) return reader?.cancel();
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!reader) return void res.end();
  flushWithFirst(res);
  res.once('close', () => reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || res.destroyed) break;
    if (!res.write(value)) await drained(res);
  }
  res.end();
}

/** Sends the head at once, in one piece with the event that begins most streams and lies ready. */
function flushWithFirst(res: ServerResponse): void {
  const { socket } = res;
  socket?.cork();
  res.flushHeaders();
  process.nextTick(() => socket?.uncork());
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}

/** The SDK leaves the head of a stream unsent until the first event, which may be as late as the first keep-alive. */
export function sendHeadAtOnce(res: ServerResponse): void {
  res.writeHead = new Proxy(res.writeHead, {
    apply(writeHead, self, args) {
      const written: unknown = Reflect.apply(writeHead, self, args);
      res.flushHeaders();
      return written;
    },
  });
}

/** A request that a server received always has both; their types allow for those that a client makes. */
export function hasTarget(req: IncomingMessage): req is IncomingMessage & { method: string; url: string } {
  return req.method !== undefined && req.url !== undefined;
}
