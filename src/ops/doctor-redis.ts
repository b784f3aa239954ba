/** Judges facts about a Redis: can it run the queue, and will it keep the jobs? */
import type { RedisFacts } from './doctor-facts.js';
import { type Check, fail, isAtLeast, megabytes, ok, warn } from './verdicts.js';

/** BullMQ needs commands of 6.2, such as LMOVE; every Valkey is newer. */
const OLDEST_REDIS: readonly [number, number] = [6, 2];
const SLOW_PING_MS = 10;
const CLOCK_TOLERANCE_MS = 1_000;
const NEARLY_FULL = 0.75;
const FULL = 0.95;
const PRIMARY = 'Set LONGHAUL_REDIS_URL to the primary, or to redis+sentinel:// or redis+cluster://, which follow it';
const MANAGED = 'In the settings of the managed service, or in redis.conf: ';

/** Every check of a server that answers; `source` says in words which it is. */
export function judgeRedis(facts: RedisFacts, source: string): Check[] {
  return [
    judgeVersion(facts, source),
    ...judgeRole(facts),
    judgeEviction(facts),
    judgePersistence(facts),
    judgeMemory(facts),
    judgeLatency(facts),
    judgeClock(facts),
    judgeScripts(facts),
    judgePubSub(facts),
  ];
}

function judgeVersion({ product, version }: RedisFacts, source: string): Check {
  const seen = `${product} ${version ?? 'of unknown version'}, ${source}`;
  if (version === undefined) return warn('Redis', seen, 'Allow the user INFO: ACL SETUSER name +info');
  if (product === 'Valkey' || isAtLeast(version, OLDEST_REDIS)) return ok('Redis', seen);
  return fail('Redis', `${seen}: too old`, 'Install Redis 6.2 or newer, or any Valkey');
}

function judgeRole({ role }: RedisFacts): Check[] {
  if (role === undefined || role === 'master') return [];
  return [fail('Redis role', `a replica (${role}), which takes no writes`, PRIMARY)];
}

function judgeEviction({ evictionPolicy }: RedisFacts): Check {
  const check = 'Eviction policy';
  const setting = 'maxmemory-policy noeviction';
  if (evictionPolicy === 'noeviction') return ok(check, evictionPolicy);
  if (evictionPolicy === undefined) return warn(check, 'the server does not tell', `${MANAGED}${setting}`);
  return fail(
    check,
    `${evictionPolicy}: a full Redis would silently drop jobs`,
    `redis-cli CONFIG SET ${setting} && redis-cli CONFIG REWRITE\n${MANAGED}${setting}`,
  );
}

function judgePersistence({ aofEnabled, aofWritesOk, fsync }: RedisFacts): Check {
  const check = 'Persistence';
  const enable = `redis-cli CONFIG SET appendonly yes && redis-cli CONFIG REWRITE\n${MANAGED}appendonly yes`;
  if (aofEnabled === undefined) return warn(check, 'the server does not tell', `${MANAGED}appendonly yes`);
  if (!aofEnabled) return fail(check, 'no append-only file: a crash would lose accepted jobs', enable);
  if (aofWritesOk === false)
    return fail(
      check,
      'the last write of the append-only file failed',
      'Look at the free space of its disk, and its log',
    );
  if (fsync === undefined)
    return ok(check, 'append-only file; how often it is synced is not told, since CONFIG is forbidden here');
  if (fsync !== 'no')
    return ok(check, `append-only file, synced ${fsync === 'always' ? 'at every write' : 'every second'}`);
  return warn(
    check,
    'append-only file, but synced only when the system pleases',
    `redis-cli CONFIG SET appendfsync everysec && redis-cli CONFIG REWRITE\n${MANAGED}appendfsync everysec`,
  );
}

function judgeMemory({ maxMemoryBytes, usedMemoryBytes, systemMemoryBytes }: RedisFacts): Check {
  const check = 'Memory of Redis';
  if (usedMemoryBytes === undefined || maxMemoryBytes === undefined)
    return warn(check, 'the server does not tell', 'Allow the user INFO: ACL SETUSER name +info');
  const limit = maxMemoryBytes || systemMemoryBytes || 0;
  const seen = `${megabytes(usedMemoryBytes)} used of ${maxMemoryBytes ? megabytes(maxMemoryBytes) : 'no set limit'}`;
  const raise = 'Raise maxmemory, or keep results for less long: LONGHAUL_RESULT_TTL_SECONDS';
  if (limit > 0 && usedMemoryBytes > FULL * limit) return fail(check, `${seen}: it takes no more jobs soon`, raise);
  if (limit > 0 && usedMemoryBytes > NEARLY_FULL * limit) return warn(check, seen, raise);
  if (systemMemoryBytes && maxMemoryBytes > systemMemoryBytes)
    return warn(check, `${seen}, but its host has only ${megabytes(systemMemoryBytes)}`, 'Lower maxmemory below that');
  return ok(check, seen);
}

function judgeLatency({ pingMedianMs, pingWorstMs }: RedisFacts): Check {
  const seen = `PING ${pingMedianMs.toFixed(1)} ms (median), ${pingWorstMs.toFixed(1)} ms at worst`;
  if (pingMedianMs <= SLOW_PING_MS) return ok('Latency', seen);
  return warn('Latency', seen, 'Run Longhaul nearer to Redis: every job takes several round trips');
}

function judgeClock({ clockAheadMs }: RedisFacts): Check {
  if (clockAheadMs === undefined) return warn('Clocks', 'the server does not tell', 'ACL SETUSER name +time');
  const seen = `Redis is ${Math.abs(clockAheadMs)} ms ${clockAheadMs < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(clockAheadMs) <= CLOCK_TOLERANCE_MS) return ok('Clocks', seen);
  return warn('Clocks', seen, 'Synchronise both hosts: sudo timedatectl set-ntp true');
}

function judgeScripts({ scriptFault }: RedisFacts): Check {
  if (scriptFault === undefined) return ok('Scripts', 'Lua runs and writes');
  const { said, trouble } = scriptFault;
  return fail('Scripts', `${trouble.words}; the queue's scripts cannot run: ${said}`, trouble.mend);
}

function judgePubSub({ pubSubMs }: RedisFacts): Check {
  if (pubSubMs !== undefined) return ok('Pub/sub', `round trip ${pubSubMs.toFixed(1)} ms`);
  return fail('Pub/sub', 'a published message did not arrive', 'Allow the user channels: ACL SETUSER name +@pubsub &*');
}
