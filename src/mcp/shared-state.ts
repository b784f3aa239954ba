/** What of one session is kept for all front ends, and how this one keeps up with it. */
import { RECORD_VERSION } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import type { SessionChange } from '../core/session-ports.js';
import type { SessionRecord, SessionState } from '../core/session-records.js';
import type { Connection } from './front-end.js';
import type { SessionLink } from './session-link.js';

/** See `createSharedState`. */
export interface SharedState {
  /** The parameters of `initialize` came. */
  asked(params: JsonObject): void;
  /** The revision was agreed on: stores the session, unless the store was away just now. Rejects if it cannot be stored. */
  agreed(protocolVersion: string): Promise<void>;
  /** Whether the session may be kept here only, until `store` succeeds: so its id tells other front ends. */
  readonly mayWait: boolean;
  /** The session that was revived is ready. */
  revived(): void;
  /** Stores the session unless that is done; rejects if the store is away. */
  store(): Promise<void>;
  isStored(): boolean;
  storing(): 'yes' | 'not_yet' | 'mute';
  /** Stores a change and tells the other front ends; rejects if the store is away. */
  share(change: SessionChange): Promise<void>;
  /** Takes over what the client said to other front ends. */
  apply(state: SessionState): void;
}

/** Builds the shared part of a session; `record` if it is revived. */
export function createSharedState({
  link,
  connection,
  record,
  mayWait,
}: {
  readonly mayWait: boolean;
  readonly link: SessionLink;
  readonly connection: Connection;
  readonly record: SessionRecord | undefined;
}): SharedState {
  let status: 'yes' | 'not_yet' | 'mute' = record ? 'mute' : 'not_yet';
  const create = createOnce(link, connection);
  let params: JsonObject = {};
  let protocolVersion: string | undefined;
  const shared: SharedState = {
    mayWait,
    asked(given) {
      params = given;
    },
    async agreed(version) {
      if (record || protocolVersion !== undefined) return;
      protocolVersion = version;
      if (!mayWait) await shared.store();
    },
    revived() {
      status = 'yes';
    },
    async store() {
      if (status !== 'not_yet' || protocolVersion === undefined) return;
      await create({ protocolVersion, params });
      status = 'yes';
    },
    isStored: () => status === 'yes',
    storing: () => status,
    async share(change) {
      // What is not stored yet is stored with all its changes.
      if (status !== 'yes') return;
      await link.use((store) => store.change(link.session, change));
      await link.tell({ kind: 'changed' }).catch(() => undefined);
    },
    apply(state) {
      // Said here while the store was away.
      if (connection.initialized && !state.initialized) shared.share({ kind: 'initialized' }).catch(() => undefined);
      applyTo(connection, state);
    },
  };
  return shared;
}

/** Stores a new session; whoever wants that while it is under way waits for the same. */
function createOnce({ session, use }: SessionLink, connection: Connection) {
  let storing: Promise<void> | undefined;
  return (agreed: Pick<SessionRecord, 'protocolVersion' | 'params'>): Promise<void> => {
    const made = { v: RECORD_VERSION, principal: connection.principal, ...agreed };
    storing ??= use((store) => store.create(session, made, stateOf(connection))).finally(() => {
      storing = undefined;
    });
    return storing;
  };
}

function stateOf({ logLevel, initialized, roots, rootsChanges }: Connection): SessionState {
  return { logLevel, initialized, roots, rootsChanges };
}

function applyTo(connection: Connection, state: SessionState): void {
  connection.logLevel = state.logLevel ?? connection.logLevel;
  connection.initialized ||= state.initialized;
  applyRoots(connection, state);
}

function applyRoots(connection: Connection, { roots, rootsChanges }: SessionState): void {
  // Changed here while the store was away: what it has is of yesterday.
  if (rootsChanges < connection.rootsChanges) return;
  if (rootsChanges > connection.rootsChanges) {
    connection.roots = undefined;
    connection.rootsQuestion = undefined;
    connection.rootsChanges = rootsChanges;
  }
  connection.roots ??= roots;
}
