/** Judges facts about an installation: pure, so that every verdict can be tested. */
import type { Complaint, Trouble } from '../core/trouble.js';
import type { DoctorFacts, FolderFacts, HostFacts, RedisAway, RedisFacts } from './doctor-facts.js';
import { judgeRedis } from './doctor-redis.js';
import { type Check, fail, isAtLeast, megabytes, ok, warn } from './verdicts.js';

/** As `engines` in package.json says: files are listed with the folders they are in, which older ones do not tell. */
const OLDEST_NODE: readonly [number, number] = [20, 12];
const LITTLE_MEMORY_BYTES = 256 * 1024 * 1024;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;

/** Every check, in the order a person would go through them. */
export function judge(facts: DoctorFacts): Check[] {
  const { host, redis } = facts;
  return [
    judgeNode(host),
    judgeGit(host),
    judgeHostMemory(host),
    ...judgeWorker(host),
    ...judgeFolders(facts),
    ...(redis.reachable ? judgeRedis(redis, facts.source ?? 'Redis') : [redisAway(redis, facts)]),
  ];
}

/** What is amiss with the Redis that a process uses, in words that name no address. */
export function judgeUse(redis: RedisFacts | RedisAway, isPrivate: boolean): Complaint[] {
  const checks = redis.reachable
    ? judgeRedis(redis, isPrivate ? 'private' : 'configured')
    : [fail('Redis', redis.trouble.words, mendFor(redis.trouble, isPrivate))];
  return checks.flatMap(({ check, status, seen, mend = '' }) =>
    status === 'ok' ? [] : [{ check, status, seen, mend }],
  );
}

function judgeNode({ nodeVersion }: HostFacts): Check {
  if (isAtLeast(nodeVersion, OLDEST_NODE)) return ok('Node.js', nodeVersion);
  const oldest = OLDEST_NODE.join('.');
  return fail(
    'Node.js',
    `${nodeVersion}, older than ${oldest}`,
    `Install Node.js ${oldest} or newer: https://nodejs.org`,
  );
}

function judgeGit({ gitVersion }: HostFacts): Check {
  if (gitVersion !== undefined) return ok('git', gitVersion);
  return warn('git', 'not found on PATH', 'Install it, e.g.: sudo apt-get install git');
}

function judgeHostMemory({ freeMemoryBytes, totalMemoryBytes }: HostFacts): Check {
  const seen = `${megabytes(freeMemoryBytes)} of ${megabytes(totalMemoryBytes)} free`;
  if (freeMemoryBytes >= LITTLE_MEMORY_BYTES) return ok('Memory of the host', seen);
  return warn(
    'Memory of the host',
    seen,
    'Free some, or run fewer jobs at once: --concurrency 1 (LONGHAUL_CONCURRENCY=1)',
  );
}

function judgeWorker({ worker }: HostFacts): Check[] {
  if (!worker) return [];
  if (worker.fault === undefined) return [ok('Workers', 'their program loads')];
  const mend =
    'Mend what it names: a tool file of your own (LONGHAUL_TOOLS), or the installation by installing Longhaul again';
  return [fail('Workers', `their program does not start: ${worker.fault}`, mend)];
}

function judgeFolders({ host, isPrivate }: DoctorFacts): Check[] {
  const cache = judgeFolder('Cache folder', host.cacheFolder, 'LONGHAUL_CACHE_DIR');
  if (isPrivate) return [judgeFolder('Data folder', host.dataFolder, 'LONGHAUL_DATA_DIR'), cache];
  return [ok('Data folder', 'not needed: LONGHAUL_REDIS_URL is set'), cache];
}

function judgeFolder(check: string, folder: FolderFacts, setting: string): Check {
  const { path, kind, writable, mode = 0, foreign } = folder;
  const elsewhere = `or choose another with ${setting}`;
  if (kind === 'other') return fail(check, `${path} is not a folder`, `Remove it, ${elsewhere}`);
  if (kind === 'missing')
    return writable
      ? ok(check, `${path} (made when it is needed)`)
      : fail(
          check,
          `${path} does not exist and cannot be made`,
          `Make it: sudo install -d -m 700 -o "$USER" '${path}', ${elsewhere}`,
        );
  if (foreign) return fail(check, `${path} belongs to another user`, `sudo chown -R "$USER" '${path}', ${elsewhere}`);
  if (!writable) return fail(check, `${path} cannot be written`, `chmod 700 '${path}', ${elsewhere}`);
  const seen = `${path}, mode ${mode.toString(8)}`;
  if (mode & OTHERS_WRITE) return fail(check, `${seen}: other users can write to it`, `chmod 700 '${path}'`);
  if (mode & OTHERS_READ) return warn(check, `${seen}: other users can look into it`, `chmod 700 '${path}'`);
  return ok(check, seen);
}

function redisAway({ why, trouble }: RedisAway, { source, isPrivate }: DoctorFacts): Check {
  if (source === undefined)
    return fail('Redis', why, isPrivate ? 'See the message on the left' : 'Set LONGHAUL_REDIS_URL right');
  return fail('Redis', `${source}: ${trouble.words} (${why})`, mendFor(trouble, isPrivate));
}

function mendFor({ code, mend }: Trouble, isPrivate: boolean): string {
  return isPrivate && code === 'unreachable' ? 'Read redis.log in the data folder' : mend;
}
