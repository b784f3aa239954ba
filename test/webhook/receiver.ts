/** A receiver of webhooks on this host that answers as a test scripts it, and keeps what it got. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** A request as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is done with a request; `hold` answers nothing, `reset` cuts the connection. */
export type Answer = { readonly status: number; readonly headers?: Record<string, string> } | 'hold' | 'reset';

/** A running receiver. */
export interface Receiver {
  readonly url: URL;
  readonly received: readonly Received[];
  /** Resolves once so many requests have come. */
  count(wanted: number): Promise<void>;
}

const WAIT_MS = 20_000;

/** Starts one; the first requests get `answers` in turn, all further ones 204. */
export async function startReceiver(answers: readonly Answer[] = []): Promise<Receiver> {
  const received: Received[] = [];
  const left = [...answers];
  let heard: () => void = () => undefined;
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    received.push({ headers: req.headers, body: Buffer.concat(chunks).toString('utf8') });
    reply(res, left.shift() ?? { status: 204 });
    heard();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const count = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${received.length} of ${wanted} requests came`)), WAIT_MS);
      heard = () => {
        if (received.length < wanted) return;
        clearTimeout(timer);
        resolve();
      };
      heard();
    });
  return { url: new URL(`http://127.0.0.1:${port}/hook`), received, count };
}

function reply(res: ServerResponse, answer: Answer): void {
  if (answer === 'hold') return;
  if (answer === 'reset') res.socket?.resetAndDestroy();
  else res.writeHead(answer.status, answer.headers).end('a body of no interest');
}
