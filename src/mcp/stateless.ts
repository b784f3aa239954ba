/** The 2026-07-28 side of the endpoint: every request stands alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type JSONRPCMessage, type McpRequestContext } from '@modelcontextprotocol/server';
import { nestsDeeper } from '../core/json.js';
import { type FrontEnd, newConnection } from './front-end.js';
import { errorMessage } from './incoming.js';
import { authOwner } from './login.js';
import { isRequest } from './message-kind.js';
import { hasTarget, sendHeadAtOnce } from './node-response.js';
import { createProtocolServer } from './protocol-server.js';

/** Far beyond what any request needs. */
const DEEPEST = 500;

/** See `createStateless`. */
export interface Stateless {
  /** Answers one message, which has been read and judged already. */
  serve(message: JSONRPCMessage, req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Tool calls that are not answered yet. */
  inFlight(): number;
  /** Ends what is under way; the jobs behind it go on. */
  close(): Promise<void>;
}

/** Builds the 2026-07-28 side. Tool calls always stream, so that keep-alive comments hold the connection while a job works. */
export function createStateless(frontEnd: FrontEnd): Stateless {
  let closing = false;
  let calls = 0;
  const factory = ({ authInfo }: McpRequestContext) => {
    const connection = newConnection(frontEnd, {
      principal: authOwner(authInfo),
      capabilities: () => undefined,
      // 2026-07-28, Streamable HTTP, Cancellation: closing the response stream is a cancel. Our own shutdown is not.
      cancelReason: () => (closing ? undefined : 'the client closed the response stream'),
    });
    return createProtocolServer(frontEnd, connection);
  };
  const onerror = (err: Error) => frontEnd.log.debug({ err }, 'http 2026-07-28');
  const options = { legacy: 'reject', onerror, keepAliveMs: frontEnd.keepAliveMs } as const;
  const plain = createMcpHandler(factory, options);
  const streaming = createMcpHandler(factory, { ...options, responseMode: 'sse' });
  const servePlain = toNodeHandler(plain, { onerror });
  const serveStreaming = toNodeHandler(streaming, { onerror });
  return {
    async serve(message, req, res) {
      if (!hasTarget(req)) return;
      if (nestsDeeper(message, DEEPEST)) return refuseDeep(res, message);
      if (!isRequest(message) || message.method !== 'tools/call') return servePlain(req, res, message);
      sendHeadAtOnce(res);
      calls += 1;
      res.once('close', () => {
        calls -= 1;
      });
      return serveStreaming(req, res, message);
    },
    inFlight: () => calls,
    async close() {
      closing = true;
      await Promise.all([plain.close(), streaming.close()]);
    },
  };
}

/** The SDK writes every message as JSON once more, calling itself at each level until its stack is exhausted. */
function refuseDeep(res: ServerResponse, message: JSONRPCMessage): void {
  const id = 'id' in message ? message.id : undefined;
  const body = errorMessage(-32602, `Invalid params: the message nests deeper than ${DEEPEST} lists and objects`, id);
  res.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
