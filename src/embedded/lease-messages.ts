/** The words that a guardian and its leaseholders exchange, one JSON text a line. */
import type { Socket } from 'node:net';

/** What a leaseholder says first: it comes to stay, and by which folder it reaches the sockets. */
export interface LeaseRequest {
  kind: 'lease';
  folder: string;
}

/** What a leaseholder says last: it leaves, and waits for the connection to close. */
export interface Parting {
  kind: 'bye';
}

/** What a guardian says. */
export type GuardianNews =
  /** The server answers. Said again after each restart of it. */
  | { kind: 'ready'; pid: number; version: string; binary: string; libraryPath?: string | undefined }
  /** There is no server and there will be none; the guardian ends. */
  | { kind: 'failed'; message: string }
  /** Another guardian holds the data folder; this one ends. */
  | { kind: 'lost' };

/** Writes one message; a peer that is gone is noticed by the socket's `close`, not here. */
export function send(socket: Socket, message: LeaseRequest | Parting | GuardianNews): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls `receive` with each whole line that arrives, parsed; a line that is no JSON closes the socket. */
export function onMessage(socket: Socket, receive: (message: unknown) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    try {
      for (const line of lines) receive(JSON.parse(line));
    } catch {
      socket.destroy();
    }
  });
}

/** The message as a lease request, or undefined. */
export function asLeaseRequest(message: unknown): LeaseRequest | undefined {
  const { kind, folder } = fieldsOf(message);
  return kind === 'lease' && typeof folder === 'string' ? { kind, folder } : undefined;
}

/** Whether the message says that a holder leaves. */
export function isParting(message: unknown): boolean {
  return fieldsOf(message).kind === 'bye';
}

/** The message as a guardian's news, or undefined. */
export function asGuardianNews(message: unknown): GuardianNews | undefined {
  const { kind, message: text, pid, version, binary, libraryPath } = fieldsOf(message);
  if (kind === 'lost') return { kind };
  if (kind === 'failed') return { kind, message: String(text) };
  if (kind !== 'ready' || typeof pid !== 'number') return undefined;
  const libraries = typeof libraryPath === 'string' ? { libraryPath } : {};
  return { kind, pid, version: String(version), binary: String(binary), ...libraries };
}

function fieldsOf(message: unknown): Record<string, unknown> {
  return typeof message === 'object' && message !== null ? { ...message } : {};
}
