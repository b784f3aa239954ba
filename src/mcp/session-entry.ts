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

/** Whether something is under way in the session here. */
export function isInUse({ streams, session }: SessionEntry): boolean {
  return streams > 0 || session.guard.inFlight() > 0;
}

/** Notes that a request is open until the returned call; `isGet` for a stream of no call. */
export function touch(entry: SessionEntry, isGet: boolean): () => void {
  entry.lastHeardMs = performance.now();
  entry.streams += 1;
  if (isGet) entry.gets += 1;
  return () => {
    entry.lastHeardMs = performance.now();
    entry.streams -= 1;
    if (!isGet) return;
    entry.gets -= 1;
    const { link } = entry.session;
    if (!isInUse(entry)) link.try((store) => store.rest(link.session));
  };
}
