/** Newline-delimited JSON over stdin and stdout that survives whatever a peer writes. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { errorMessage, readMessage } from './incoming.js';

/** Streams and limits of a stdio connection. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes of the longest line; a longer one is skipped to its end. */
  readonly maxLineBytes: number;
  /** Told of every line that was not a message; nothing is written to the peer for mere garbage. */
  onGarbage(why: string): void;
}

const NEWLINE = 0x0a;
const INVALID_REQUEST = -32600;

/** Builds the transport; it closes itself when either stream ends. */
export function createStdioTransport(options: StdioOptions): Transport {
  const { input, output } = options;
  let closed = false;
  const transport: Transport = {
    async start() {
      input.on('data', read);
      input.once('end', close);
      input.once('close', close);
      input.once('error', close);
      output.once('error', close);
      // With `</dev/null` the end may have come before anybody listened.
      if (input.readableEnded || input.destroyed) setImmediate(close);
    },
    send: (message) => write(message),
    async close() {
      close();
    },
  };
  const write = (message: JSONRPCMessage | ReturnType<typeof errorMessage>): Promise<void> => {
    if (closed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  };
  const read = createLineReader(
    options.maxLineBytes,
    (line) => {
      const incoming = parseLine(line);
      if (incoming === undefined) return;
      if (incoming.kind === 'message') return transport.onmessage?.(incoming.message);
      options.onGarbage(incoming.why);
      if (incoming.id !== undefined)
        write(errorMessage(INVALID_REQUEST, incoming.why, incoming.id)).catch(() => undefined);
    },
    options.onGarbage,
  );
  const close = (): void => {
    if (closed) return;
    closed = true;
    input.off('data', read);
    // After the peer is gone a late write must not become an unhandled error.
    output.on('error', () => undefined);
    transport.onclose?.();
  };
  return transport;
}

function parseLine(line: Buffer): ReturnType<typeof readMessage> | undefined {
  const text = line.toString('utf8').trim();
  if (text === '') return undefined;
  try {
    return readMessage(JSON.parse(text));
  } catch {
    return { kind: 'invalid', why: `a line of ${line.length} bytes is not JSON` };
  }
}

/** Splits chunks into lines without copying them again for each chunk of a long line. */
function createLineReader(
  maxBytes: number,
  onLine: (line: Buffer) => void,
  onGarbage: (why: string) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;
  const take = (part: Buffer): void => {
    size += part.length;
    if (size > maxBytes && !skipping) {
      skipping = true;
      parts = [];
      onGarbage(`a line longer than ${maxBytes} bytes was skipped`);
    }
    if (!skipping) parts.push(part);
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      const line = skipping ? undefined : Buffer.concat(parts);
      parts = [];
      size = 0;
      skipping = false;
      start = end + 1;
      if (line) onLine(line);
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
