/** The 2025-era sessions of this process: made by `initialize`, ended by DELETE or by lying idle. */
import { randomBytes } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { fingerprint, type Principal } from '../core/ids.js';
import { createEventStore } from './event-store.js';
import { type FrontEnd, newConnection } from './front-end.js';
import { clientsReason, type GuardedTransport, guardTransport } from './guard.js';
import { createProtocolServer } from './protocol-server.js';

/** One session. */
export interface Session {
  readonly principal: Principal;
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly guard: GuardedTransport;
  /** Notes that the client was heard of, and that a stream of it is open until the returned call. */
  touch(): () => void;
}

/** See `createSessions`. */
export interface Sessions {
  /** The session of this id, if it is this principal's: another's looks like none. */
  find(id: string, principal: Principal): Session | undefined;
  /**
   * Makes a session for an `initialize`, found under its id once the transport has answered; undefined if there are as many
   * as there may be, and each is in use.
   */
  open(principal: Principal): Promise<Session | undefined>;
  /** Calls under way in all sessions. */
  inFlight(): number;
  /** Ends all sessions and their streams. */
  close(): Promise<void>;
}

/** How sessions end by themselves. */
export interface SessionOptions {
  /** Milliseconds without a request or an open stream after which a session ends. */
  readonly idleMs: number;
  /** Sessions at most; a further `initialize` first ends the one idle longest, and is refused if none is idle. */
  readonly limit: number;
}

interface Entry extends Session {
  /** By the clock of `performance.now()`, which no change of the date moves. */
  lastHeardMs: number;
  streams: number;
}

/** What a client waits before it comes back for a lost stream; sent with every stream's first event. */
const RETRY_MS = 1_000;

/** Builds the table of sessions; `close` must be called to stop its timer. */
export function createSessions(frontEnd: FrontEnd, options: SessionOptions): Sessions {
  const sessions = new Map<string, Entry>();
  const forget = (id: string): void => {
    if (sessions.delete(id)) frontEnd.log.debug({ sessions: sessions.size }, 'session ended');
  };
  const end = async (id: string): Promise<void> => {
    const entry = sessions.get(id);
    forget(id);
    await entry?.guard.close().catch((err: unknown) => frontEnd.log.debug({ err }, 'a session did not end cleanly'));
  };
  const isIdle = (entry: Entry): boolean => entry.streams === 0 && entry.guard.inFlight() === 0;
  const sweep = (): void => {
    const horizonMs = performance.now() - options.idleMs;
    for (const [id, entry] of sessions) if (isIdle(entry) && entry.lastHeardMs < horizonMs) void end(id);
  };
  const timer = setInterval(sweep, Math.max(250, Math.min(options.idleMs / 4, 30_000))).unref();

  return {
    find(id, principal) {
      const session = sessions.get(id);
      return session?.principal === principal ? session : undefined;
    },
    async open(principal) {
      if (sessions.size >= options.limit) {
        const oldest = idleLongest(sessions, isIdle);
        if (oldest === undefined) return undefined;
        await end(oldest);
      }
      return connect(frontEnd, principal, {
        opened: (id, opened) => {
          sessions.set(id, opened);
          frontEnd.log.debug({ sessions: sessions.size }, 'session opened');
        },
        closed: forget,
      });
    },
    inFlight: () => [...sessions.values()].reduce((sum, { guard }) => sum + guard.inFlight(), 0),
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

function idleLongest(sessions: ReadonlyMap<string, Entry>, isIdle: (entry: Entry) => boolean): string | undefined {
  const idle = [...sessions].filter(([, entry]) => isIdle(entry));
  return idle.sort(([, a], [, b]) => a.lastHeardMs - b.lastHeardMs)[0]?.[0];
}

interface SessionEvents {
  opened(id: string, entry: Entry): void;
  closed(id: string): void;
}

async function connect(frontEnd: FrontEnd, principal: Principal, events: SessionEvents): Promise<Entry> {
  const transport = new NodeStreamableHTTPServerTransport({
    // 144 random bits of visible ASCII (2025-11-25, Session Management 1).
    sessionIdGenerator: () => randomBytes(18).toString('base64url'),
    onsessioninitialized: (id) => {
      connection.session = fingerprint(id);
      events.opened(id, entry);
    },
    onsessionclosed: (id) => {
      connection.gone = true;
      events.closed(id);
    },
    eventStore: createEventStore(),
    retryInterval: RETRY_MS,
  });
  // A cancelled call is never answered, so its stream would stay open for ever.
  const guard = guardTransport(transport, { onCancelled: (id) => transport.closeSSEStream(id) });
  const connection = newConnection(frontEnd, {
    principal,
    capabilities: () => server.getClientCapabilities(),
    cancelReason: clientsReason,
  });
  const server = createProtocolServer(frontEnd, connection);
  const entry: Entry = {
    principal,
    transport,
    guard,
    lastHeardMs: performance.now(),
    streams: 0,
    touch() {
      entry.lastHeardMs = performance.now();
      entry.streams += 1;
      return () => {
        entry.lastHeardMs = performance.now();
        entry.streams -= 1;
      };
    },
  };
  await server.connect(guard);
  return entry;
}
