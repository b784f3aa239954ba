/** A reverse proxy without affinity: each request goes to the next replica that answers, and streams both ways. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** See `startRoundRobin`. */
export interface RoundRobin {
  readonly port: number;
  /** Port of the replica that got the last request. */
  lastPort(): number;
  close(): Promise<void>;
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'te', 'trailer'];

/** Starts the proxy on a free port. A replica that refuses the connection is passed over; one that dies breaks its requests. */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  let turn = 0;
  let last = 0;
  const next = (): number => ports[turn++ % ports.length] ?? 0;
  const forward = (req: IncomingMessage, res: ServerResponse, triesLeft: number): void => {
    const port = next();
    const headers = forwarded(req.headers);
    const upstream = request({ host: '127.0.0.1', port, method: req.method, path: req.url, headers, agent: false });
    upstream.once('response', (incoming) => {
      last = port;
      res.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, forwarded(incoming.headers));
      res.flushHeaders();
      incoming.pipe(res);
      incoming.once('close', () => {
        if (!incoming.complete) res.destroy();
      });
    });
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && triesLeft > 0) return forward(req, res, triesLeft - 1);
      if (error.code === 'ECONNREFUSED' && !res.headersSent) res.writeHead(502).end();
      else res.destroy();
    });
    res.once('close', () => {
      if (!res.writableFinished) upstream.destroy();
    });
    req.pipe(upstream);
  };
  const server = createServer((req, res) => forward(req, res, ports.length - 1));
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lastPort: () => last,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
