/** Asks a Redis server one question over its unix socket; knows only the replies this folder needs. */
import { connect } from 'node:net';

/** An error reply of the server, such as `LOADING Redis is loading the dataset in memory`. */
export class RedisReplyError extends Error {
  override name = 'RedisReplyError';
}

/**
 * Sends one command on a connection of its own and resolves with the reply's text.
 *
 * Understands simple strings, errors, integers and bulk strings. Rejects with `RedisReplyError` for an error reply,
 * with the socket's own error (`ENOENT`, `ECONNREFUSED`) when nobody listens, and with a plain Error when no whole
 * reply came within `limitMs` (default 1000 ms) or the server hung up first.
 */
export function callRedis(socketPath: string, command: readonly string[], limitMs = 1000): Promise<string> {
  const { promise, resolve, reject } = deferred();
  const socket = connect(socketPath);
  let received = Buffer.alloc(0);
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`Redis did not answer ${command[0]} in ${limitMs} ms`)));
  socket.on('connect', () => socket.write(encode(command)));
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const reply = decode(received);
    if (reply === undefined) return;
    if (reply instanceof Error) reject(reply);
    else resolve(reply);
    socket.destroy();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`Redis closed the connection before it answered ${command[0]}`)));
  return promise;
}

function deferred() {
  let resolve: (reply: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<string>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}

function decode(received: Buffer): string | RedisReplyError | undefined {
  const lineEnd = received.indexOf('\r\n');
  if (lineEnd < 0) return undefined;
  const line = received.toString('utf8', 1, lineEnd);
  const kind = received.toString('latin1', 0, 1);
  if (kind === '-') return new RedisReplyError(line);
  if (kind !== '$') return line;
  const end = lineEnd + 2 + Number(line);
  return received.length < end + 2 ? undefined : received.toString('utf8', lineEnd + 2, end);
}
