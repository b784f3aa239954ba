/** A session in the table of a front end, with what is under way in it there. */
import type { RequestId } from '../core/session-records.js';
import type { Session } from './session.js';
import type { SessionJobs } from './session-ending.js';

/** A session with what is under way in it here. */
export interface SessionEntry {
  readonly key: string;
  readonly session: Session;
  /** Ids of requests that are being taken up. */
  readonly pending: Set<RequestId>;
  /** By the clock of `performance.now()`, which no change of the date moves. */
  lastHeardMs: number;
  /** Open requests, of which `gets` are streams that belong to no call of their own. */
  streams: number;
  gets: number;
  /** Whether the store counts it as in use for longer than a call of it is open. */
  isHeld: boolean;
}

/** How sessions end by themselves. */
export interface SessionOptions {
  /** Milliseconds without a request or an open stream after which a session ends. */
  readonly idleMs: number;
  /** Sessions at most; a further `initialize` first ends the one idle longest, and is refused if none is idle. */
  readonly limit: number;
  /** What becomes of the jobs its calls wait for. */
  readonly jobs: SessionJobs;
}

/** A session of which nothing is under way. */
export function newEntry(key: string, session: Session): SessionEntry {
  const nothing = { pending: new Set<RequestId>(), streams: 0, gets: 0, isHeld: false };
  return { key, session, lastHeardMs: performance.now(), ...nothing };
}

/** Whether something is under way in the session here. */
export function isInUse({ streams, session }: SessionEntry): boolean {
  return streams > 0 || session.guard.inFlight() > 0;
}

/** Notes that a request is open until the returned call; `isGet` for a stream of no call. */
export function touch(entry: SessionEntry, isGet: boolean): () => void {
  entry.lastHeardMs = performance.now();
  entry.streams += 1;
  if (isGet) {
    entry.gets += 1;
    entry.isHeld = true;
  }
  return () => {
    entry.lastHeardMs = performance.now();
    entry.streams -= 1;
    if (isGet) entry.gets -= 1;
    if (!entry.isHeld || isInUse(entry)) return;
    entry.isHeld = false;
    const { link } = entry.session;
    link.try((store) => store.rest(link.session));
  };
}
