/** The 2025-era sessions of this process: made by `initialize`, ended by DELETE or by lying idle. */
import { randomBytes } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { createEventStore } from './event-store.js';
import type { Connection, FrontEnd } from './front-end.js';
import { clientsReason, type GuardedTransport, guardTransport } from './guard.js';
import { createProtocolServer } from './protocol-server.js';

/** One session. */
export interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly guard: GuardedTransport;
  /** Notes that the client was heard of, and that a stream of it is open until the returned call. */
  touch(): () => void;
}

/** See `createSessions`. */
export interface Sessions {
  find(id: string): Session | undefined;
  /** Makes a session for an `initialize`; it is found under its id once the transport has answered. */
  open(): Promise<Session>;
  count(): number;
  /** Calls under way in all sessions. */
  inFlight(): number;
  /** Ends all sessions and their streams. */
  close(): Promise<void>;
}

/** How sessions end by themselves. */
export interface SessionOptions {
  /** Milliseconds without a request or an open stream after which a session ends. */
  readonly idleMs: number;
  /** Sessions at most; a further `initialize` first ends the one idle longest. */
  readonly limit: number;
}

interface Entry extends Session {
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
    await entry?.guard.close();
  };
  const isIdle = (entry: Entry): boolean => entry.streams === 0 && entry.guard.inFlight() === 0;
  const sweep = (): void => {
    const horizonMs = Date.now() - options.idleMs;
    for (const [id, entry] of sessions) if (isIdle(entry) && entry.lastHeardMs < horizonMs) void end(id);
  };
  const timer = setInterval(sweep, Math.max(250, Math.min(options.idleMs / 4, 30_000))).unref();

  return {
    find: (id) => sessions.get(id),
    async open() {
      if (sessions.size >= options.limit) await makeRoom(sessions, isIdle, end);
      const entry = await connect(frontEnd, {
        opened: (id, opened) => {
          sessions.set(id, opened);
          frontEnd.log.debug({ sessions: sessions.size }, 'session opened');
        },
        closed: forget,
      });
      return entry;
    },
    count: () => sessions.size,
    inFlight: () => [...sessions.values()].reduce((sum, { guard }) => sum + guard.inFlight(), 0),
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

/** Sessions are kept in the order they were opened, so the first idle one is old enough to go. */
async function makeRoom(
  sessions: Map<string, Entry>,
  isIdle: (entry: Entry) => boolean,
  end: (id: string) => Promise<void>,
): Promise<void> {
  for (const [id, entry] of sessions) if (isIdle(entry)) return end(id);
}

interface SessionEvents {
  opened(id: string, entry: Entry): void;
  closed(id: string): void;
}

async function connect(frontEnd: FrontEnd, events: SessionEvents): Promise<Entry> {
  const transport = new NodeStreamableHTTPServerTransport({
    // 144 random bits of visible ASCII (2025-11-25, Session Management 1).
    sessionIdGenerator: () => randomBytes(18).toString('base64url'),
    onsessioninitialized: (id) => events.opened(id, entry),
    onsessionclosed: (id) => {
      connection.gone = true;
      events.closed(id);
    },
    eventStore: createEventStore(),
    retryInterval: RETRY_MS,
  });
  // A cancelled call is never answered, so its stream would stay open for ever.
  const guard = guardTransport(transport, { onCancelled: (id) => transport.closeSSEStream(id) });
  const connection: Connection = {
    principal: 'local',
    logLevel: 'info',
    roots: undefined,
    initialized: false,
    gone: false,
    capabilities: () => server.getClientCapabilities(),
    cancelReason: clientsReason,
  };
  const server = createProtocolServer(frontEnd, connection);
  const entry: Entry = {
    transport,
    guard,
    lastHeardMs: Date.now(),
    streams: 0,
    touch() {
      entry.lastHeardMs = Date.now();
      entry.streams += 1;
      return () => {
        entry.lastHeardMs = Date.now();
        entry.streams -= 1;
      };
    },
  };
  await server.connect(guard);
  return entry;
}
