/** The 2025-era sessions that this front end serves: made by `initialize`, revived when a client of another one comes here. */
import { randomBytes } from 'node:crypto';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { createFingerprints, type Principal } from '../core/ids.js';
import { pause } from '../core/lifecycle.js';
import type { FrontEnd } from './front-end.js';
import { admissionOf, type LiveCall, openCall } from './open-call.js';
import { createSession, reviveSession, type Session, type SessionParts } from './session.js';
import { startDuties } from './session-duties.js';
import { endSession } from './session-ending.js';
import { isInUse, newEntry, type SessionEntry, type SessionOptions, touch } from './session-entry.js';
import { newSessionId, openedAwayAtMs } from './session-ids.js';
import { createSessionLink, type SessionLink, useStore } from './session-link.js';

/** What came of looking for a session: `away` if only the store, which does not answer, could tell. */
export type Reached =
  | { readonly kind: 'live'; readonly entry: SessionEntry; readonly live?: LiveCall }
  | { readonly kind: 'gone' | 'duplicate' | 'away' };

/** Who looks for a session, and what for. */
export interface ReachOptions {
  /** Another's session looks like none. */
  readonly principal: Principal;
  /** Whether the session is in use until the request is over. */
  readonly hold: boolean;
  readonly request?: JSONRPCRequest;
}

/** See `createSessions`. */
export interface Sessions {
  /**
   * Finds a session, here or in the store, and notes that its client was heard of. A request is taken up, unless one with its id is
   * under way anywhere. While the store is away a session that is served here goes on.
   */
  reach(sessionId: string, how: ReachOptions): Promise<Reached>;
  /** Makes a session for an `initialize`; undefined if there are as many as there may be, and each is in use. */
  open(principal: Principal): Promise<SessionEntry | undefined>;
  /** Notes that a request is open until the returned call; `isGet` for a stream of no call. */
  touch(entry: SessionEntry, isGet: boolean): () => void;
  /** Lets go of a session here; its client finds it again, unless that is `forGood`. */
  leave(entry: SessionEntry, forGood: boolean): Promise<void>;
  /** Calls under way in all sessions. */
  inFlight(): number;
  /** Requests of all sessions whose responses are still open. */
  streams(): number;
  /** Lets go of all sessions and their streams; they go on at other front ends. */
  close(): Promise<void>;
}

/** A session that was opened without the store is waited for this long, and looked for this often. */
const LATE_MS = 2_500;
const LATE_LOOK_MS = 250;
/** Its client is told to come back until this long after it was opened; then its front end is taken for dead. */
const AWAY_MS = 60_000;

function mayYetCome(sessionId: string): boolean {
  const openedAtMs = openedAwayAtMs(sessionId);
  // Clocks of hosts differ; a time far ahead was made up.
  return openedAtMs !== undefined && Math.abs(Date.now() - openedAtMs) < AWAY_MS;
}

type Builder = (parts: SessionParts) => Promise<Session>;

/** Builds the table of sessions; `close` must be called to stop its timers. */
export function createSessions(frontEnd: FrontEnd, options: SessionOptions): Sessions {
  const from = randomBytes(9).toString('base64url');
  const keyOf = createFingerprints();
  const table = createTable(frontEnd, options, from);
  const { entries, leave, end } = table;
  const duties = startDuties({ frontEnd, options, entries, leave, end, from });
  /** The session of such an id is stored by its front end within moments of the return of the store. */
  const late = async (key: string, sessionId: string): Promise<SessionEntry | undefined> => {
    if (openedAwayAtMs(sessionId) === undefined) return undefined;
    const giveUpAtMs = performance.now() + LATE_MS;
    let entry: SessionEntry | undefined;
    while (!entry && performance.now() < giveUpAtMs) {
      await pause(LATE_LOOK_MS);
      entry = entries.get(key) ?? (await table.revive(key, sessionId));
    }
    return entry;
  };
  return {
    leave,
    async reach(sessionId, how) {
      const key = keyOf(sessionId);
      try {
        const entry = entries.get(key) ?? (await table.revive(key, sessionId)) ?? (await late(key, sessionId));
        if (!entry && mayYetCome(sessionId)) return { kind: 'away' };
        if (entry?.session.connection.principal !== how.principal) return { kind: 'gone' };
        return await admit(entry, how, { leave, frontEnd });
      } catch (err) {
        frontEnd.log.debug({ err }, 'a session could not be looked up');
        return { kind: 'away' };
      }
    },
    async open(principal) {
      const room = await useStore(frontEnd, (store) => store.room(options.limit)).catch(() => undefined);
      if (room?.kind === 'full') return undefined;
      if (room?.kind === 'end') await end(room.session).catch(() => undefined);
      if (!(await table.makeRoom())) return undefined;
      const sessionId = newSessionId(room === undefined);
      return table.add(keyOf(sessionId), sessionId, (parts) => createSession(parts, principal));
    },
    touch,
    // A response that is still being stored is not on its way yet.
    inFlight: () => [...entries.values()].reduce((sum, { session }) => sum + session.calls.byId.size, 0),
    streams: () => [...entries.values()].reduce((sum, { streams }) => sum + streams, 0),
    async close() {
      duties.stop();
      await Promise.all([...entries.values()].map((entry) => leave(entry, false)));
    },
  };
}

/** The sessions here by the fingerprints of their ids, and how they come and go. */
function createTable(frontEnd: FrontEnd, options: SessionOptions, from: string) {
  const entries = new Map<string, SessionEntry>();
  const reviving = new Map<string, Promise<SessionEntry | undefined>>();
  const linkTo = (session: string) => createSessionLink(frontEnd, { session, from });

  const leave: Sessions['leave'] = async (entry, forGood) => {
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    frontEnd.log.debug({ sessions: entries.size }, 'session ended');
    const { connection, guard } = entry.session;
    if (forGood) connection.gone = true;
    await guard.close().catch((err: unknown) => frontEnd.log.debug({ err }, 'a session did not end cleanly'));
  };
  const end = async (key: string): Promise<void> => {
    await endSession(frontEnd, linkTo(key), options.jobs);
    const entry = entries.get(key);
    if (entry) await leave(entry, true);
  };
  /** If the store is away the session lives on there, and its client is told to try again. */
  const endOnDelete = async (entry: SessionEntry): Promise<void> => {
    if (!entry.session.shared.isStored()) return leave(entry, true);
    await end(entry.key).finally(() => leave(entry, false));
  };
  const add = async (key: string, sessionId: string, build: Builder): Promise<SessionEntry> => {
    const session = await build({
      ...{ frontEnd, sessionId, link: linkTo(key) },
      hasStreams: () => (entries.get(key)?.gets ?? 0) > 0,
      onDeleted: () => endOnDelete(entry),
      onGone: () => void leave(entry, true),
    });
    const entry = newEntry(key, session);
    entries.set(key, entry);
    frontEnd.log.debug({ sessions: entries.size }, 'session opened');
    return entry;
  };
  const revive = (key: string, sessionId: string): Promise<SessionEntry | undefined> => {
    const revival = reviving.get(key) ?? reviveFrom(linkTo(key), (parts) => add(key, sessionId, parts));
    reviving.set(key, revival);
    return revival.finally(() => reviving.delete(key));
  };
  /** Room here; what has no room goes on elsewhere, or is revived when it comes back. */
  const makeRoom = async (): Promise<boolean> => {
    if (entries.size < options.limit) return true;
    const idle = [...entries.values()].filter((entry) => !isInUse(entry));
    const [oldest] = idle.sort((a, b) => a.lastHeardMs - b.lastHeardMs);
    if (oldest) await leave(oldest, false);
    return oldest !== undefined;
  };
  return { entries, leave, end, add, revive, makeRoom };
}

/** Revives a session from its record; undefined if there is none. */
async function reviveFrom(
  link: SessionLink,
  add: (build: Builder) => Promise<SessionEntry>,
): Promise<SessionEntry | undefined> {
  const record = await link.use((store) => store.read(link.session));
  return record && add((parts) => reviveSession(parts, record));
}

/** Notes in the store that the client was heard of, and takes its request up; rejects only for a session that is not served here. */
async function admit(
  entry: SessionEntry,
  { hold, request }: ReachOptions,
  { leave, frontEnd }: Pick<Sessions, 'leave'> & { readonly frontEnd: FrontEnd },
): Promise<Reached> {
  const { session, pending } = entry;
  if (request && (pending.has(request.id) || session.guard.isInFlight(request.id))) return { kind: 'duplicate' };
  const live = request && openCall(frontEnd, request, session.owners);
  if (live) pending.add(live.call.id);
  const admitted = await admitTo(session, { hold, live }).catch(() => undefined);
  if (admitted && admitted.kind !== 'live') {
    if (live) pending.delete(live.call.id);
    if (admitted.kind === 'gone') await leave(entry, true);
    return { kind: admitted.kind };
  }
  if (admitted) session.shared.apply(admitted.state);
  if (live) live.admitted = admitted !== undefined;
  return { kind: 'live', entry, ...(live && { live }) };
}

async function admitTo(
  { link, shared, owners }: Session,
  { hold, live }: { readonly hold: boolean; readonly live: LiveCall | undefined },
) {
  await shared.store();
  if (!shared.isStored()) return undefined;
  const admission = live && admissionOf(live, owners);
  return link.use((store) => store.admit(link.session, { hold, ...(admission && { admission }) }));
}
