/** Counts a guardian's leaseholders: an open connection is a lease, however its holder ends. */
import type { Socket } from 'node:net';
import { asLeaseRequest, type GuardianNews, onMessage, send } from './lease-messages.js';

/** The leaseholders of one guardian. */
export interface Leases {
  /** Aborts once no lease has been held for the grace; then new connections are closed. */
  readonly over: AbortSignal;
  /** Counts a connection at once; `folder` is how its holder reaches the sockets. */
  hold(socket: Socket, folder: string): void;
  /** Counts a connection when it asks for a lease: one that only looks whether the guardian lives does not ask. */
  greet(socket: Socket): void;
  /** Tells all holders, and those to come until something else is told; undefined tells newcomers to wait. */
  tell(news: GuardianNews | undefined): void;
  /** Lets the grace count for nothing from now on. */
  hurry(): void;
  /** Hangs up on all holders once they have been told everything. */
  close(): void;
  /** The folders by which holders reached the sockets. */
  readonly folders: ReadonlySet<string>;
}

/** Starts counting, with `graceMs` to be waited after the last holder left (default of the guardian: 1000). */
export function createLeases(graceMs: number): Leases {
  const ended = new AbortController();
  const holders = new Set<Socket>();
  const folders = new Set<string>();
  let latest: GuardianNews | undefined;
  let graceLeftMs = graceMs;
  let timer: NodeJS.Timeout | undefined;

  const wait = () => {
    clearTimeout(timer);
    if (holders.size === 0) timer = setTimeout(() => ended.abort(new Error('No lease is held')), graceLeftMs);
  };
  const hold = (socket: Socket, folder: string) => {
    if (ended.signal.aborted) return void socket.destroy();
    clearTimeout(timer);
    holders.add(socket);
    folders.add(folder);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      holders.delete(socket);
      wait();
    });
    socket.ref();
    socket.resume();
    if (latest) send(socket, latest);
  };
  const greet = (socket: Socket) => {
    socket.unref();
    onMessage(socket, (message) => {
      const request = asLeaseRequest(message);
      if (request) hold(socket, request.folder);
    });
  };
  const tell = (news: GuardianNews | undefined) => {
    latest = news;
    if (news) for (const socket of holders) send(socket, news);
  };
  const hurry = () => {
    graceLeftMs = 0;
    wait();
  };
  const close = () => {
    clearTimeout(timer);
    for (const socket of holders) socket.destroySoon();
    if (!ended.signal.aborted) ended.abort(new Error('The guardian ends'));
  };
  return { over: ended.signal, folders, hold, greet, tell, hurry, close };
}
