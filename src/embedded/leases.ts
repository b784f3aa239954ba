/** Counts a guardian's leaseholders: an open connection is a lease, however its holder ends. */
import type { Socket } from 'node:net';
import { asLeaseRequest, type GuardianNews, isParting, onMessage, send } from './lease-messages.js';

/** The leaseholders of one guardian. */
export interface Leases {
  /** Aborts once no lease has been held for the grace; then new connections are closed. */
  readonly over: AbortSignal;
  /** Counts the connection of the guardian's starter at once; `folder` is how its holder reaches the sockets. */
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

/** Starts counting, with `graceMs` to be waited after the last holder vanished (default of the guardian: 1000). */
export function createLeases(graceMs: number): Leases {
  const ended = new AbortController();
  const holders = new Set<Socket>();
  const folders = new Set<string>();
  let latest: GuardianNews | undefined;
  const over = (why: string) => ended.abort(new Error(why));
  const grace = createGrace(graceMs, () => over('No lease is held'));
  const lose = (socket: Socket) => {
    holders.delete(socket);
    if (holders.size === 0) grace.begin();
  };
  const count = (socket: Socket, folder: string) => {
    if (ended.signal.aborted) return void socket.destroy();
    grace.end();
    holders.add(socket);
    folders.add(folder);
    socket.on('error', () => undefined);
    socket.on('close', () => lose(socket));
    socket.ref();
    socket.resume();
    if (latest) send(socket, latest);
  };
  /** Its connection stays open until the server is down if it was the last, so that whoever leaves can wait for that. */
  const part = (socket: Socket) => {
    if (!holders.delete(socket)) return;
    if (holders.size > 0) return void socket.destroySoon();
    socket.unref();
    over('The last holder has left');
  };
  return {
    over: ended.signal,
    folders,
    hold(socket, folder) {
      listen(socket, { count, part });
      count(socket, folder);
    },
    greet: (socket) => listen(socket.unref(), { count, part }),
    tell(news) {
      latest = news;
      if (news) for (const socket of holders) send(socket, news);
    },
    hurry: () => grace.shorten(holders.size === 0),
    close() {
      grace.end();
      for (const socket of holders) socket.destroySoon();
      if (!ended.signal.aborted) over('The guardian ends');
    },
  };
}

interface Requests {
  count(socket: Socket, folder: string): void;
  part(socket: Socket): void;
}

function listen(socket: Socket, requests: Requests): void {
  onMessage(socket, (message) => {
    const request = asLeaseRequest(message);
    if (request) requests.count(socket, request.folder);
    else if (isParting(message)) requests.part(socket);
  });
}

/** A timer that runs while nobody holds a lease. */
function createGrace(
  graceMs: number,
  onOver: () => void,
): { begin(): void; end(): void; shorten(restart: boolean): void } {
  let leftMs = graceMs;
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  const begin = () => {
    end();
    timer = setTimeout(onOver, leftMs);
  };
  return {
    begin,
    end,
    shorten(restart) {
      leftMs = 0;
      if (restart) begin();
    },
  };
}
