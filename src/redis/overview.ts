/** What operators see, on Redis: pages of rows, minutes and sessions, whose cost is bounded whatever else lies there. */
import { type JobState, WAITS_FOR } from '../core/job.js';
import type {
  JobRow,
  MinuteRates,
  Overview,
  OverviewCounts,
  RowPage,
  RowQuery,
  SessionRow,
  StandingRow,
} from '../core/overview.js';
import { parseSessionRecord } from '../core/session-records.js';
import type { RedisContext } from './context.js';
import { readDetail } from './job-detail.js';
import { readRows } from './job-rows.js';

/** Jobs looked at for one page of those in some states: the others may be many. */
const LOOKED_AT = 2_000;
const BATCH = 250;
const MINUTE_MS = 60_000;
/** Of a client's name only so much is shown. */
const CLIENT_LENGTH = 80;

/** Builds the overview. */
export function createOverview(context: RedisContext): Overview {
  const { redis, keys } = context;
  const present = async (ids: readonly string[]): Promise<readonly JobRow[]> =>
    (await readRows(context, ids)).filter((row) => row !== undefined);
  const nowMs = async (): Promise<number> => {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };
  return {
    rows: present,
    recent: (query) => recentRows(context, query),
    counts: () => countsOf(context),
    detail: (id) => readDetail(context, id),
    parked: (awaited, limit) => standingRows(context, { group: `parked:${awaited}`, states: ['parked'], limit }),
    waiting: (queue, limit) =>
      standingRows(context, { group: `waiting:${queue}`, states: ['waiting', 'delayed'], limit }),
    running: async (queue, limit) => {
      const taken = await redis.lrange(`${keys.queuePrefix}:${queue}:active`, -limit, -1);
      return (await present(taken)).filter(({ state }) => state === 'active');
    },
    nextIn: async (queue, limit) => {
      const base = `${keys.queuePrefix}:${queue}`;
      // The next to be taken lies at the end of BullMQ's list, before those with a priority.
      const first = await redis.lrange(`${base}:wait`, -limit, -1);
      const then = await redis.zrange(`${base}:prioritized`, '0', String(limit - 1));
      return present([...first.reverse(), ...then].slice(0, limit));
    },
    delayed: async (queue, limit) => {
      const due = await redis.zrange(`${keys.queuePrefix}:${queue}:delayed`, '0', String(BATCH - 1));
      return (await present(due)).filter(({ state }) => state === 'delayed').slice(0, limit);
    },
    minutes: async (count) => minutesOf(context, { last: Math.floor((await nowMs()) / MINUTE_MS), count }),
    sessions: (limit) => latestSessions(context, limit),
    nowMs,
  };
}

async function recentRows(context: RedisContext, { from, limit, states }: RowQuery): Promise<RowPage> {
  const { redis, keys } = context;
  const rows: JobRow[] = [];
  const end = from + (states ? LOOKED_AT : limit);
  const size = states ? BATCH : limit;
  for (let start = from; start < end; start += size) {
    // One more than is looked at, which tells whether anything follows.
    const ids = await redis.zrevrange(keys.allJobs(), start, start + size);
    const isLast = ids.length <= size;
    const found = await readRows(context, ids.slice(0, size));
    for (const [at, row] of found.entries()) {
      if (row && (!states || states.includes(row.state))) rows.push(row);
      if (rows.length === limit) return { rows, next: isLast && at + 1 === found.length ? undefined : start + at + 1 };
    }
    if (isLast) return { rows, next: undefined };
  }
  return { rows, next: end };
}

async function countsOf({ redis, keys }: RedisContext): Promise<OverviewCounts> {
  const [listed, sessions, ...parked] = await Promise.all([
    redis.zcard(keys.allJobs()),
    redis.zcard(keys.sessions()),
    ...WAITS_FOR.map((awaited) => redis.zcard(keys.standing(`parked:${awaited}`))),
  ]);
  return { listed, sessions, parked: new Map(WAITS_FOR.map((awaited, at) => [awaited, parked[at] ?? 0])) };
}

interface Standings {
  readonly group: string;
  /** Those in another were moved on by a process of an older version. */
  readonly states: readonly JobState[];
  readonly limit: number;
}

async function standingRows(context: RedisContext, { group, states, limit }: Standings): Promise<StandingRow[]> {
  const { redis, keys } = context;
  const found = await redis.zrange(keys.standing(group), '0', String(limit - 1), 'WITHSCORES');
  const ids = found.filter((_, at) => at % 2 === 0);
  const rows = await readRows(context, ids);
  return rows.flatMap((row, at) =>
    row && states.includes(row.state) ? [{ ...row, sinceMs: Number(found[2 * at + 1]) }] : [],
  );
}

async function minutesOf(
  { redis, keys }: RedisContext,
  { last, count }: { readonly last: number; readonly count: number },
): Promise<MinuteRates[]> {
  const numbers = Array.from({ length: count }, (_, at) => last - count + 1 + at);
  const pipeline = redis.pipeline();
  for (const number of numbers) pipeline.hgetall(keys.minute(number));
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply], at) => {
    if (error) throw error;
    return minuteOf((numbers[at] ?? 0) * MINUTE_MS, new Map(Object.entries(Object(reply))));
  });
}

function minuteOf(atMs: number, fields: ReadonlyMap<string, unknown>): MinuteRates {
  const figure = (name: string) => Number(fields.get(name) ?? 0);
  const failures = [...fields.keys()].flatMap((name) => {
    if (!name.startsWith('code:')) return [];
    const code = name.slice('code:'.length);
    const latest = fields.get(`job:${code}`);
    return [{ code, count: figure(name), latest: typeof latest === 'string' ? latest : undefined }];
  });
  return {
    atMs,
    submitted: figure('submitted'),
    started: figure('started'),
    completed: figure('completed'),
    failed: figure('failed'),
    cancelled: figure('cancelled'),
    failures,
  };
}

async function latestSessions({ redis, keys }: RedisContext, limit: number): Promise<SessionRow[]> {
  const found = await redis.zrevrange(keys.sessions(), 0, limit - 1, 'WITHSCORES');
  const pipeline = redis.pipeline();
  const names = found.filter((_, at) => at % 2 === 0);
  for (const name of names) pipeline.hget(keys.session(name), 'record').hkeys(keys.session(name));
  const replies = (await pipeline.exec()) ?? [];
  return names.flatMap((session, at) => {
    const [record, fields] = [replies[2 * at]?.[1], replies[2 * at + 1]?.[1]];
    return sessionRow({ session, heardAtMs: Number(found[2 * at + 1]), record, fields });
  });
}

interface StoredSession {
  readonly session: string;
  readonly heardAtMs: number;
  readonly record: unknown;
  readonly fields: unknown;
}

function sessionRow({ session, heardAtMs, record, fields }: StoredSession): SessionRow[] {
  const parsed = parseSessionRecord(record);
  if (!parsed) return [];
  const names = Array.isArray(fields) ? fields.map(String) : [];
  const { principal, protocolVersion, params } = parsed;
  return [
    {
      session,
      principal,
      protocolVersion,
      client: clientName(params.clientInfo),
      heardAtMs,
      openCalls: names.filter((name) => name.startsWith('c:')).length,
      openQuestions: names.filter((name) => name.startsWith('q:')).length,
    },
  ];
}

function clientName(info: unknown): string {
  const { name, version } = Object(info);
  const parts = [name, version].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? 'unnamed' : parts.join(' ').slice(0, CLIENT_LENGTH);
}
