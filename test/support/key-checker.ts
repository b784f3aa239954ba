/** Finds Redis keys that would stay for ever: each has a TTL or stands on the list below, with the reason it is bounded. */
import type { Redis } from 'ioredis';

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

/** The keys of the installation that neither expire nor stand on the list, sorted. */
export async function leakedKeys(scope: KeyScope): Promise<string[]> {
  const names = await keysBelow(scope.redis, scope.base);
  const leaked: string[] = [];
  for (const name of names) {
    if ((await scope.redis.pttl(name)) === -1 && !(await isBounded(scope, name))) leaked.push(name);
  }
  return leaked.sort();
}

/** Throws an error that names every leaked key. */
export async function refuseLeaks(scope: KeyScope): Promise<void> {
  const leaked = await leakedKeys(scope);
  if (leaked.length === 0) return;
  throw new Error(
    `Redis keys without a TTL, which would stay for ever: ${leaked.join(', ')}. ` +
      'Give each a TTL, or put it on the list of test/support/key-checker.ts with the reason it is bounded.',
  );
}

/** Every key of one installation. */
export async function keysBelow(redis: Redis, base: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'MATCH', `${base}:*`, 'COUNT', 500);
    for (const name of names) found.add(name);
    cursor = next;
  } while (cursor !== '0');
  return [...found];
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
