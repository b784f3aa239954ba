/** Finds Redis keys that would stay, or grow, for ever: each has a TTL or stands on a list below, and what is capped keeps to it. */
import { existsSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { BULL_EVENTS_CAP, KEEP_COMPLETED, KEEP_FAILED } from '../../src/bullmq/options.js';
import { OUTBOX_CAP } from '../../src/core/outbox.js';
import { TOTALS_CAP } from '../../src/core/totals.js';
import { closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';

/** What an installation itself keeps without a TTL, by the part after its base. */
const OWN_KEYS: Readonly<Record<string, string>> = {
  secret: 'one key of a few bytes, made once',
};

/** What every BullMQ queue keeps without a TTL, by the part after the queue's name. */
const QUEUE_KEYS: Readonly<Record<string, string>> = {
  meta: 'one hash of settings',
  id: 'one counter',
  marker: 'one set that holds at most a few wake-up marks',
  events: 'a stream capped by BULL_EVENTS_CAP',
  wait: 'a list of queued jobs; empties with the queue',
  prioritized: 'a set of queued jobs; empties with the queue',
  pc: 'one counter; gone with the queued jobs',
  paused: 'as wait, while the queue is paused',
  active: 'a list of running jobs; as long as there are slots',
  delayed: 'a set of jobs that wait for their time; each becomes due',
  stalled: 'a set of running jobs, emptied by every check',
  completed: 'a set bounded by KEEP_COMPLETED',
  failed: 'a set bounded by KEEP_FAILED',
};

/** What Redis trims roughly (`~`) it trims by whole nodes, of a hundred entries each. */
const ROUGHLY = 200;

/** What may not grow beyond a number of entries, whether or not it expires; by the part after the base, a queue's after `bull:`. */
const CAPS: readonly { readonly names: RegExp; readonly kind: keyof typeof LENGTHS; readonly most: number }[] = [
  { names: /^bull:events$/, kind: 'stream', most: BULL_EVENTS_CAP + ROUGHLY },
  { names: /^bull:completed$/, kind: 'zset', most: KEEP_COMPLETED.count },
  { names: /^bull:failed$/, kind: 'zset', most: KEEP_FAILED.count },
  // The outcome is appended whatever the cap, and so are the begins of a job's runs.
  { names: /^events:/, kind: 'stream', most: DEFAULT_RETENTION.eventsPerJob + 2 * ROUGHLY },
  { names: /^jobs(:|$)/, kind: 'zset', most: DEFAULT_RETENTION.listedJobs },
  { names: /^outbox-due$/, kind: 'zset', most: OUTBOX_CAP },
  // With one more for what found no room.
  { names: /^totals$/, kind: 'hash', most: TOTALS_CAP + 1 },
  { names: /^queued$/, kind: 'set', most: DEFAULT_RETENTION.queuedJobs },
  { names: /^open:[^:]+$/, kind: 'set', most: DEFAULT_RETENTION.jobsPerPrincipal },
];

const LENGTHS = {
  hash: (redis: Redis, name: string) => redis.hlen(name),
  stream: (redis: Redis, name: string) => redis.xlen(name),
  zset: (redis: Redis, name: string) => redis.zcard(name),
  set: (redis: Redis, name: string) => redis.scard(name),
} as const;

/** The queue keys that name jobs; the hash of a job that stands in none of them is forgotten by BullMQ, hence leaked. */
const HOLDERS = ['wait', 'prioritized', 'paused', 'active', 'delayed', 'completed', 'failed'] as const;

/** Which keys are looked at. */
export interface KeyScope {
  readonly redis: Redis;
  /** Start of all keys of one installation, such as `{name}`. */
  readonly base: string;
  /** Prefix of the queue keys, as handed to BullMQ. */
  readonly queuePrefix: string;
}

/** What is wrong with the keys of the installation: those that neither expire nor stand on the list, and those beyond their cap; sorted. */
export async function leakedKeys(scope: KeyScope): Promise<string[]> {
  const suspects = await faultsOf(scope, await keysBelow(scope.redis, scope.base));
  if (suspects.size === 0) return [];
  // A job that moves on between two commands lies nowhere for a moment: only what is wrong twice is.
  return [...(await faultsOf(scope, [...suspects.keys()])).values()].sort();
}

async function faultsOf(scope: KeyScope, names: readonly string[]): Promise<Map<string, string>> {
  const faults = new Map<string, string>();
  for (const name of names) {
    const excess = await excessOf(scope, name);
    if (excess !== undefined) faults.set(name, `${name} (${excess})`);
    else if ((await scope.redis.pttl(name)) === -1 && !(await isBounded(scope, name))) faults.set(name, name);
  }
  return faults;
}

/** Names keys that would stay, or grow, for ever. */
export class LeakedKeys extends Error {}

/** Throws `LeakedKeys`, naming every one. */
export async function refuseLeaks(scope: KeyScope): Promise<void> {
  const leaked = await leakedKeys(scope);
  if (leaked.length === 0) return;
  throw new LeakedKeys(
    `Redis keys without a TTL, which would stay for ever, or beyond their cap: ${leaked.join(', ')}. ` +
      'Give each a TTL, or put it on the list of test/support/key-checker.ts with the reason it is bounded.',
  );
}

/** As `refuseLeaks`, for every installation of a server; a key outside of any counts as leaked. */
export async function refuseLeaksOfServer(redis: Redis): Promise<void> {
  const names = await keysLike(redis, '*');
  const bases = new Set(names.map((name) => /^\{[^}]+\}(?=:)/.exec(name)?.[0]));
  if (bases.has(undefined)) throw new LeakedKeys(`Redis keys outside of any installation: ${names.join(', ')}`);
  for (const base of bases) if (base !== undefined) await refuseLeaks({ redis, base, queuePrefix: `${base}:bull` });
}

/** What leaks in the private Redis at a socket. One that is gone, or was killed, stopped or filled by its test, says nothing. */
export async function leaksBehind(socketPath: string): Promise<LeakedKeys | undefined> {
  if (!existsSync(socketPath)) return undefined;
  const redis = connectRedis({ socketPath }, 'call');
  try {
    if (await readyWithin(redis, 1_000)) await refuseLeaksOfServer(redis);
    return undefined;
  } catch (error) {
    return error instanceof LeakedKeys ? error : undefined;
  } finally {
    closeRedis(redis);
  }
}

/** Every key of one installation. */
export async function keysBelow(redis: Redis, base: string): Promise<string[]> {
  return keysLike(redis, `${base}:*`);
}

async function keysLike(redis: Redis, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 500);
    for (const name of names) found.add(name);
    cursor = next;
  } while (cursor !== '0');
  return [...found];
}

/** How a structure that is capped is beyond its cap, in words; undefined if it is none, or within. */
async function excessOf({ redis, base, queuePrefix }: KeyScope, name: string): Promise<string | undefined> {
  const part = name.startsWith(`${queuePrefix}:`) ? `bull:${name.split(':').at(-1)}` : name.slice(base.length + 1);
  const cap = CAPS.find(({ names }) => names.test(part));
  if (!cap) return undefined;
  const length = await LENGTHS[cap.kind](redis, name);
  return length > cap.most ? `${length} entries of at most ${cap.most}` : undefined;
}

async function isBounded({ redis, base, queuePrefix }: KeyScope, name: string): Promise<boolean> {
  if (Object.hasOwn(OWN_KEYS, name.slice(base.length + 1))) return true;
  if (!name.startsWith(`${queuePrefix}:`)) return false;
  const [queue = '', part = '', ...more] = name.slice(queuePrefix.length + 1).split(':');
  if (more.length > 0) return false;
  return Object.hasOwn(QUEUE_KEYS, part) || (await isHeld(redis, `${queuePrefix}:${queue}`, part));
}

async function isHeld(redis: Redis, queueKey: string, jobId: string): Promise<boolean> {
  for (const holder of HOLDERS) {
    const key = `${queueKey}:${holder}`;
    const type = await redis.type(key);
    if (type === 'list' && (await redis.lpos(key, jobId)) !== null) return true;
    if (type === 'zset' && (await redis.zscore(key, jobId)) !== null) return true;
  }
  return false;
}
