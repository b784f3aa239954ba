/** Sessions on Redis: a hash with all that is agreed and open, a stream of events, and one set of all sessions by age. */
import type { Redis } from 'ioredis';
import { LOG_LEVELS } from '../core/events.js';
import type {
  Admission,
  Admitted,
  EventWrite,
  Replay,
  SessionChange,
  SessionEnd,
  SessionStore,
  TakenCall,
} from '../core/session-ports.js';
import {
  parseOpenCall,
  parseOpenQuestion,
  parseRoots,
  parseSessionRecord,
  type RequestId,
} from '../core/session-records.js';
import type { RedisContext } from './context.js';
import { createQuestionLine } from './question-line.js';
import { oneOf, texts } from './replies.js';
import type { Script } from './script.js';
import { createSessionHints } from './session-hints.js';
import * as scripts from './session-scripts.js';

/** How long sessions live, and what is kept of each. */
export interface SessionLimits {
  readonly idleMs: number;
  /** Milliseconds a session that is held counts as in use after the last word of its holder. */
  readonly leaseMs: number;
  readonly events: number;
  readonly eventBytes: number;
}

/** Unless configured: 2,000 events and 8 MiB a session; a holder renews its word every third of the lease. */
export const DEFAULT_SESSION_LIMITS: Omit<SessionLimits, 'idleMs'> = {
  leaseMs: 30_000,
  events: 2_000,
  eventBytes: 8 * 1024 * 1024,
};

/** Whoever sweeps has this long to find a session whose time is over, before its keys go by themselves. */
const SWEEP_MS = 60_000;
const EXPIRED_AT_ONCE = 50;

/** Runs a script on the keys of a session. */
type Run = (script: Script, session: string, ...args: readonly (string | number)[]) => Promise<unknown>;

/** Builds the store; `subscriber` is a connection in the `subscribe` role. */
export function createSessionStore(context: RedisContext, subscriber: Redis, limits: SessionLimits): SessionStore {
  const { redis, keys } = context;
  const ttlMs = limits.idleMs + limits.leaseMs + SWEEP_MS;
  const run: Run = (script, session, ...args) =>
    script(
      redis,
      [keys.session(session), keys.sessionEvents(session), keys.sessions()],
      [session, limits.idleMs, limits.leaseMs, ttlMs, ...args],
    );
  return {
    ...createEventMethods(run, limits),
    ...createTableMethods(run),
    ...createSessionHints(redis, subscriber, keys),
    ...createQuestionLine(redis, keys),
    async create(session, record, { logLevel = '', initialized, roots, rootsChanges }) {
      const told = roots === undefined ? '' : JSON.stringify(roots);
      const args = [JSON.stringify(record), logLevel, initialized ? 1 : 0, told, rootsChanges];
      await run(scripts.createSessionScript, session, ...args);
    },
    async read(session) {
      return parseSessionRecord(await redis.hget(keys.session(session), 'record'));
    },
    async admit(session, { hold, admission }) {
      return admitted(await run(scripts.admitScript, session, hold ? 1 : 0, ...callArguments(admission)));
    },
    async rest(session) {
      await run(scripts.restScript, session);
    },
    async change(session, change) {
      await run(scripts.changeScript, session, ...changeArguments(change));
    },
    async note(session, { call, owner }) {
      await run(scripts.noteScript, session, fieldOf(call.id), owner, JSON.stringify(call));
    },
    async takeOver(session, stream, owner) {
      return takenCall(await run(scripts.takeOverScript, session, stream, owner));
    },
    async drop(session, id, owner = '') {
      return parseOpenCall(await run(scripts.dropScript, session, fieldOf(id), owner));
    },
    async question(session, wireId) {
      return parseOpenQuestion(await redis.hget(keys.session(session), `q:${wireId}`));
    },
    async settle(session, wireId) {
      return parseOpenQuestion(await run(scripts.settleScript, session, wireId));
    },
  };
}

function createEventMethods(run: Run, limits: SessionLimits): Pick<SessionStore, 'append' | 'replay'> {
  return {
    async append(session, write) {
      const args = [limits.events, limits.eventBytes, ...writeArguments(write)];
      return oneOf(['written', 'lost', 'gone'], await run(scripts.appendSessionEventScript, session, ...args));
    },
    async replay(session, stream, after) {
      return replayed(await run(scripts.replayScript, session, stream, after));
    },
  };
}

/** What concerns all sessions, or the end of one. */
function createTableMethods(run: Run): Pick<SessionStore, 'end' | 'room' | 'expired'> {
  return {
    async end(session) {
      return sessionEnd(await run(scripts.endScript, session));
    },
    async room(limit) {
      const reply = String(await run(scripts.roomScript, '', limit));
      return reply.startsWith(':')
        ? { kind: 'end', session: reply.slice(1) }
        : { kind: reply === '' ? 'room' : 'full' };
    },
    async expired() {
      return texts(await run(scripts.expiredScript, '', EXPIRED_AT_ONCE));
    },
  };
}

/** `1` and `"1"` are two ids. */
function fieldOf(id: RequestId): string {
  return JSON.stringify(id);
}

function callArguments(admission: Admission | undefined): string[] {
  if (!admission) return ['', '', '', '', ''];
  const { call, owner, ownedBefore = '' } = admission;
  return [fieldOf(call.id), owner, JSON.stringify(call), call.stream, ownedBefore];
}

function changeArguments(change: SessionChange): (string | number)[] {
  switch (change.kind) {
    case 'level':
      return [change.kind, change.level];
    case 'roots':
      return [change.kind, JSON.stringify(change.roots), change.at];
    case 'initialized':
    case 'roots_changed':
      return [change.kind];
    default:
      return change satisfies never;
  }
}

function writeArguments({ event, call, isLast, inUse, question }: EventWrite): (string | number)[] {
  const { stream, number, message, cursor = '', progress = '' } = event;
  const owned = call ? [fieldOf(call.id), call.owner] : ['', ''];
  const asked = question ? [question.wireId, JSON.stringify(question)] : ['', ''];
  return [...owned, isLast ? 1 : 0, inUse ? 1 : 0, ...asked, stream, number, message, cursor, progress];
}

function admitted(reply: unknown): Admitted {
  const [kind, level, ready, roots = '', changes] = texts(reply);
  if (kind !== 'live') return { kind: oneOf(['duplicate', 'gone'], kind) };
  const logLevel = LOG_LEVELS.find((known) => known === level);
  const told = roots === '' ? undefined : parseRoots(roots);
  return { kind, state: { logLevel, initialized: ready === '1', roots: told, rootsChanges: Number(changes) } };
}

function replayed(reply: unknown): Replay {
  if (reply === null) return { kind: 'unknown' };
  const parts = texts(reply);
  const events = parts.flatMap((message, at) => (at % 2 === 1 ? [{ number: Number(parts[at - 1]), message }] : []));
  return { kind: 'known', events };
}

function takenCall(reply: unknown): TakenCall | undefined {
  if (reply === null) return undefined;
  const [text, last, cursor = '', progress = '', ...questions] = texts(reply);
  const call = parseOpenCall(text);
  if (!call) return undefined;
  return {
    call,
    lastNumber: Number(last),
    ...(cursor !== '' && { cursor }),
    ...(progress !== '' && { progress: Number(progress) }),
    questions: questions.flatMap((one) => parseOpenQuestion(one) ?? []).filter((one) => one.callId === call.id),
  };
}

function sessionEnd(reply: unknown): SessionEnd | undefined {
  if (reply === null) return undefined;
  const parts = texts(reply);
  const values = (start: string) =>
    parts.flatMap((part, at) => (at % 2 === 0 && part.startsWith(start) ? (parts[at + 1] ?? []) : []));
  return {
    principal: parseSessionRecord(values('record')[0])?.principal ?? '',
    calls: values('c:').flatMap((text) => parseOpenCall(text) ?? []),
    questions: values('q:').flatMap((text) => parseOpenQuestion(text) ?? []),
  };
}
