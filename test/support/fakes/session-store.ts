/** A fake of the sessions' store: one process' memory, shared by all that are given it. */
import type { EventWrite, LineEntry, SessionStore, StreamEvent } from '../../../src/core/session-ports.js';
import type {
  OpenCall,
  OpenQuestion,
  RequestId,
  SessionHint,
  SessionRecord,
  SessionState,
} from '../../../src/core/session-records.js';
import { jsonCopy } from './memory.js';

interface FakeSession {
  readonly record: SessionRecord;
  state: SessionState;
  heardMs: number;
  readonly calls: Map<RequestId, { call: OpenCall; owner: string }>;
  readonly questions: Map<string, OpenQuestion>;
  readonly events: StreamEvent[];
}

interface FakePlace {
  readonly number: number;
  readonly endsMs: number;
  readonly owner: string;
}

/** As on Redis. */
export interface FakeSessionLimits {
  readonly idleMs: number;
  readonly leaseMs: number;
  readonly events: number;
  readonly eventBytes: number;
}

/** The store, and a way to move its clock. */
export interface FakeSessionStore extends SessionStore {
  pass(ms: number): void;
}

/** Builds an empty store. */
export function createFakeSessionStore(limits: FakeSessionLimits): FakeSessionStore {
  const sessions = new Map<string, FakeSession>();
  const listeners = new Set<(hint: SessionHint | 'resync') => void>();
  const lines = new Map<string, Map<string, FakePlace>>();
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const live = (name: string): FakeSession | undefined => {
    const found = sessions.get(name);
    return found && found.heardMs + limits.idleMs >= now() ? found : undefined;
  };
  const byStream = (session: FakeSession | undefined, stream: string) =>
    [...(session?.calls.values() ?? [])].find(({ call }) => call.stream === stream);
  return {
    pass(ms) {
      passedMs += ms;
    },
    async create(name, record, state) {
      if (live(name)) return;
      const empty = { calls: new Map(), questions: new Map(), events: [] };
      sessions.set(name, { record: jsonCopy(record), state: jsonCopy(state), heardMs: now(), ...empty });
    },
    read: async (name) => sessions.get(name)?.record,
    async admit(name, { hold, admission }) {
      const session = live(name);
      if (!session) return { kind: 'gone' };
      const held = admission && session.calls.get(admission.call.id);
      const yields = admission?.ownedBefore !== undefined && held?.owner.startsWith(admission.ownedBefore);
      if (held && !yields) return { kind: 'duplicate' };
      if (admission) session.calls.set(admission.call.id, jsonCopy({ call: admission.call, owner: admission.owner }));
      session.heardMs = Math.max(session.heardMs, now() + (hold ? limits.leaseMs : 0));
      return { kind: 'live', state: session.state };
    },
    async rest(name) {
      const session = live(name);
      if (session && session.calls.size === 0) session.heardMs = now();
    },
    async change(name, change) {
      const session = live(name);
      if (!session) return;
      const { state } = session;
      if (change.kind === 'level') session.state = { ...state, logLevel: change.level };
      if (change.kind === 'initialized') session.state = { ...state, initialized: true };
      if (change.kind === 'roots_changed') {
        session.state = { ...state, roots: undefined, rootsChanges: state.rootsChanges + 1 };
      }
      if (change.kind === 'roots' && change.at === state.rootsChanges) {
        session.state = { ...state, roots: change.roots };
      }
    },
    async note(name, { call, owner }) {
      const held = live(name)?.calls.get(call.id);
      if (held?.owner === owner) held.call = jsonCopy(call);
    },
    append: async (name, write) => append(sessions.get(name), write, limits, now()),
    async replay(name, stream, after) {
      const session = live(name);
      const own = (session?.events ?? []).filter((event) => event.stream === stream);
      const first = own[0];
      if (!first) return byStream(session, stream) ? { kind: 'known', events: [] } : { kind: 'unknown' };
      const isForgotten = first.number > after + 1 && !own.some(({ number }) => number === after);
      return isForgotten ? { kind: 'unknown' } : { kind: 'known', events: own.filter(({ number }) => number > after) };
    },
    async takeOver(name, stream, owner) {
      const session = live(name);
      const held = byStream(session, stream);
      if (!session || !held) return undefined;
      held.owner = owner;
      const own = session.events.filter((event) => event.stream === stream);
      const cursor = own
        .flatMap((event) => event.cursor ?? [])
        .sort(byPlace)
        .at(-1);
      const progress = own.findLast((event) => event.progress !== undefined)?.progress;
      return {
        call: held.call,
        lastNumber: own.at(-1)?.number ?? 0,
        ...(cursor !== undefined && { cursor }),
        ...(progress !== undefined && { progress }),
        questions: [...session.questions.values()].filter(({ callId }) => callId === held.call.id),
      };
    },
    async drop(name, id, owner) {
      const held = sessions.get(name)?.calls.get(id);
      if (!held || (owner !== undefined && held.owner !== owner)) return undefined;
      sessions.get(name)?.calls.delete(id);
      return held.call;
    },
    async question(name, wireId) {
      return sessions.get(name)?.questions.get(wireId);
    },
    async settle(name, wireId) {
      const question = sessions.get(name)?.questions.get(wireId);
      sessions.get(name)?.questions.delete(wireId);
      return question;
    },
    async stand(name, entry) {
      const line = lines.get(name) ?? new Map<string, FakePlace>();
      lines.set(name, line);
      return stand(line, entry, now());
    },
    async stepAside(name, question, owner) {
      const line = lines.get(name);
      const held = line?.get(question);
      if (held && (owner === undefined || held.owner === owner)) line?.delete(question);
      return (line?.size ?? 0) > 0;
    },
    async end(name) {
      const session = sessions.get(name);
      sessions.delete(name);
      if (!session) return undefined;
      const calls = [...session.calls.values()].map(({ call }) => call);
      return { principal: session.record.principal, calls, questions: [...session.questions.values()] };
    },
    async room(limit) {
      if (sessions.size < limit) return { kind: 'room' };
      const idle = [...sessions].filter(([, { heardMs }]) => heardMs <= now());
      const [oldest] = idle.sort(([, a], [, b]) => a.heardMs - b.heardMs);
      return oldest ? { kind: 'end', session: oldest[0] } : { kind: 'full' };
    },
    expired: async () => [...sessions.keys()].filter((name) => !live(name)),
    async tell(hint) {
      for (const listener of listeners) listener(jsonCopy(hint));
    },
    onHint(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function append(session: FakeSession | undefined, write: EventWrite, limits: FakeSessionLimits, nowMs: number) {
  if (!session) return 'gone' as const;
  const { call, event, isLast, inUse, question } = write;
  if (call && session.calls.get(call.id)?.owner !== call.owner) return 'lost' as const;
  session.events.push(jsonCopy(event));
  const bytes = () => session.events.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  while (session.events.length > 1 && (session.events.length > limits.events || bytes() > limits.eventBytes)) {
    session.events.shift();
  }
  if (question) session.questions.set(question.wireId, question);
  if (call && isLast) session.calls.delete(call.id);
  if (isLast && !inUse && session.calls.size === 0) session.heardMs = nowMs;
  return 'written' as const;
}

function stand(line: Map<string, FakePlace>, entry: LineEntry, nowMs: number) {
  for (const [name, { endsMs }] of line) if (endsMs < nowMs) line.delete(name);
  const last = Math.max(0, ...[...line.values()].map((place) => place.number));
  const number = entry.isPut ? 0 : (line.get(entry.name)?.number ?? last + 1);
  line.set(entry.name, { number, endsMs: nowMs + entry.leaseMs, owner: entry.owner });
  const before = [...line].filter(([name, place]) => name !== entry.name && place.number < number);
  return before.length < entry.limit ? ('placed' as const) : ('waiting' as const);
}

function byPlace(a: string, b: string): number {
  const [am = 0, as = 0] = a.split('-').map(Number);
  const [bm = 0, bs = 0] = b.split('-').map(Number);
  return am - bm || as - bs;
}
