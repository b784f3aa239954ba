/** What front ends share of 2025-era sessions, so that any of them can serve any request of any session. */
import type { LogLevel } from './events.js';
import type { Principal } from './ids.js';
import type { ClientRoot } from './roots.js';
import type { OpenCall, OpenQuestion, RequestId, SessionHint, SessionRecord, SessionState } from './session-records.js';

/** A change of the state; `roots` only counts for the `rootsChanges` it was asked at. */
export type SessionChange =
  | { readonly kind: 'level'; readonly level: LogLevel }
  | { readonly kind: 'initialized' }
  | { readonly kind: 'roots_changed' }
  | { readonly kind: 'roots'; readonly roots: readonly ClientRoot[]; readonly at: number };

/** A call that asks to be taken up; `owner` fences all later writes to its stream. */
export interface Admission {
  readonly call: OpenCall;
  readonly owner: string;
  /** Start of all owners of this front end's session; what it left behind under the same id is replaced. */
  readonly ownedBefore?: string;
}

/** What came of a request to a session. */
export type Admitted =
  | { readonly kind: 'live'; readonly state: SessionState }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'gone' };

/** One message of a stream. */
export interface StreamEvent {
  readonly stream: string;
  /** Rising from 1 within its stream. */
  readonly number: number;
  /** As JSON. */
  readonly message: string;
  /** The job event it tells of: whoever goes on begins after it. */
  readonly cursor?: string | undefined;
  /** The progress it tells. */
  readonly progress?: number | undefined;
}

/** An event with what it means for its call; `call` is absent for messages that belong to none, or whose call was never admitted. */
export interface EventWrite {
  readonly event: StreamEvent;
  readonly call?: { readonly id: RequestId; readonly owner: string };
  /** The event is the response: the call is over. */
  readonly isLast?: boolean;
  /** Whether the session is in use by more than this. */
  readonly inUse?: boolean;
  readonly question?: OpenQuestion;
}

/** What came of a write: `lost` if another front end writes the stream by now, or the call was given up. */
export type EventWriting = 'written' | 'lost' | 'gone';

/** What came of reading a stream after an event: `unknown` if the session has no such stream, or has forgotten part of what followed. */
export type Replay =
  | { readonly kind: 'known'; readonly events: readonly { readonly number: number; readonly message: string }[] }
  | { readonly kind: 'unknown' };

/** An open call as its new owner finds it. */
export interface TakenCall {
  readonly call: OpenCall;
  readonly lastNumber: number;
  readonly cursor?: string;
  readonly progress?: number;
  readonly questions: readonly OpenQuestion[];
}

/** What was open in a session when it ended. */
export interface SessionEnd {
  readonly principal: Principal;
  readonly calls: readonly OpenCall[];
  readonly questions: readonly OpenQuestion[];
}

/** A question that wants to lie with the client of its session, of which only so many may at a time. */
export interface LineEntry {
  /** The same for whoever puts the question: a front end that goes on with its call has its place. */
  readonly name: string;
  readonly owner: string;
  readonly limit: number;
  /** The place is another's if it is not asked for again within this time. */
  readonly leaseMs: number;
  /** Whether the question lies with the client already: it counts then, whoever came before. */
  readonly isPut: boolean;
}

/**
 * Keeps sessions under the fingerprint of their id; each method is atomic. A session is forgotten when nothing was heard of
 * it for `idleMs`, and with it all that belongs to it.
 */
export interface SessionStore {
  /** Makes sure that another session may be opened: names the one idle longest if it must end first, `full` if all are in use. */
  room(limit: number): Promise<{ readonly kind: 'room' | 'full' } | { readonly kind: 'end'; readonly session: string }>;
  /** Stores a new session; one that is known stays as it is. */
  create(session: string, record: SessionRecord, state: SessionState): Promise<void>;
  /** The record; undefined if there is no such session, or a newer version wrote it. */
  read(session: string): Promise<SessionRecord | undefined>;
  /** Notes that the client was heard of, and takes its call up; `hold` keeps the session from being idle for a while. */
  admit(session: string, options: { readonly hold: boolean; readonly admission?: Admission }): Promise<Admitted>;
  /** Notes that nothing is under way any more, as far as this front end knows; a call that is open at another still holds the session. */
  rest(session: string): Promise<void>;
  change(session: string, change: SessionChange): Promise<void>;
  /** Notes more about a call that its owner still has. */
  note(session: string, admission: Admission): Promise<void>;
  append(session: string, write: EventWrite): Promise<EventWriting>;
  replay(session: string, stream: string, after: number): Promise<Replay>;
  /** Makes `owner` the only writer of the open call of this stream; undefined if the call is over. */
  takeOver(session: string, stream: string, owner: string): Promise<TakenCall | undefined>;
  /** Ends a call without a response: its client gave it up. Undefined if it is over, or has another owner than the one named. */
  drop(session: string, id: RequestId, owner?: string): Promise<OpenCall | undefined>;
  /** A question that lies with the client; undefined if it is not open. */
  question(session: string, wireId: string): Promise<OpenQuestion | undefined>;
  /** Forgets a question, since its answer is stored or it was withdrawn; undefined if it is not open. */
  settle(session: string, wireId: string): Promise<OpenQuestion | undefined>;
  /** Takes or keeps a place in the line of questions: the first ones, up to the limit, may be put. */
  stand(session: string, entry: LineEntry): Promise<'placed' | 'waiting'>;
  /** Gives a place up, of whomever unless an owner is named; answers whether others stand in the line. */
  stepAside(session: string, name: string, owner?: string): Promise<boolean>;
  /** Forgets the session; undefined if it was forgotten already. */
  end(session: string): Promise<SessionEnd | undefined>;
  /** Sessions whose time is over but that nobody has ended yet, a few at a time. */
  expired(): Promise<readonly string[]>;
  tell(hint: SessionHint): Promise<void>;
  /** Calls back on every hint of others, and after a lost connection, when hints may be missing; the result stops that. */
  onHint(listener: (hint: SessionHint | 'resync') => void): () => void;
}
