/** Serves one client over stdin and stdout, in whichever protocol era it opens with. */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { fingerprint } from '../core/ids.js';
import { pause } from '../core/lifecycle.js';
import { type FrontEnd, newConnection } from './front-end.js';
import { clientsReason, guardTransport } from './guard.js';
import { createProtocolServer } from './protocol-server.js';
import { createStdioTransport } from './stdio-transport.js';

/** A served stdio connection. */
export interface StdioService {
  /** Resolves when the client is gone: end of input, or a broken pipe. */
  readonly ended: Promise<void>;
  /** Lets what is under way be answered for `deadlineMs` milliseconds, as long as the client is there, then stops listening. */
  close(deadlineMs: number): Promise<void>;
}

/** Bytes of the longest message taken from stdin. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** A closing connection looks this often whether the requests under way are answered. */
const DRAIN_CHECK_MS = 50;

/** Starts serving at once; queue tools wait for the queue, everything else answers without it. */
export function serveOverStdio(
  frontEnd: FrontEnd,
  streams: { readonly input: Readable; readonly output: Writable },
): StdioService {
  const wire = createStdioTransport({
    ...streams,
    maxLineBytes: MAX_LINE_BYTES,
    onGarbage: (why) => frontEnd.log.warn({ why }, 'garbage on stdin was ignored'),
  });
  const transport = guardTransport(wire, {
    // Both requests would be answered under one id, so the second is not served; its sender broke the protocol.
    onDuplicate: (id) => frontEnd.log.warn({ id }, 'a request was dropped: its id is still under way'),
  });
  let server: Server | undefined;
  const connection = newConnection(frontEnd, {
    capabilities: () => server?.getClientCapabilities(),
    cancelReason: clientsReason,
  });
  // One session as long as the connection; a 2026-07-28 client never sees it.
  connection.session = fingerprint(randomUUID());
  const handle = serveStdio(
    () => {
      server = createProtocolServer(frontEnd, connection);
      return server;
    },
    { transport, onerror: (err) => frontEnd.log.debug({ err }, 'stdio') },
  );
  const gone = new AbortController();
  const ended = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      gone.abort();
      resolve();
    };
  });
  return {
    ended,
    async close(deadlineMs) {
      const giveUpAtMs = Date.now() + deadlineMs;
      while (transport.inFlight() > 0 && !gone.signal.aborted && Date.now() < giveUpAtMs) {
        await pause(DRAIN_CHECK_MS, gone.signal);
      }
      await handle.close();
    },
  };
}
