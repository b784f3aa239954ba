/** Puts a hundred thousand waiting jobs into a Redis at once, as they would lie there, and takes them out again. */
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';

/** As many as the issue asks for. */
export const MANY = 100_000;
const CHUNK = 10_000;
const QUEUE = 'analysis';

/** BullMQ's own hash is only there for those that the board can reach by a page or two. */
const ON_THE_BOARD = 1_000;

/**
 * Ids are numbers with zeros before them: 26 letters of the alphabet of ids. Sets are filled by the thousand, since each command is
 * written to the append-only file. KEYS prioritized, index, standing. ARGV from, to, record prefix, now, listed.
 */
const FILL = `
local places, listed, since = {}, {}, {}
for i = ARGV[1], ARGV[2] do
  local id = string.format('job_%026d', i)
  local seed = '{"v":1,"id":"' .. id .. '","tool":"echo","queue":"${QUEUE}","principal":"ann","args":{"text":"' .. i .. '"},"allowedFolders":[],"createdAtMs":' .. ARGV[4] .. '}'
  redis.call('HSET', ARGV[3] .. id, 'seed', seed, 'state', 'waiting', 'tool', 'echo', 'queue', '${QUEUE}', 'v', 1, 'attempt', 0,
    'crashes', 0, 'createdAtMs', ARGV[4], 'brief', '{"principal":"ann"}', 'stands', 'waiting:${QUEUE}')
  if i <= ${ON_THE_BOARD} then
    redis.call('HSET', string.gsub(KEYS[1], 'prioritized$', id), 'name', 'echo', 'data', seed, 'opts', '{}', 'timestamp', ARGV[4])
  end
  for _, one in ipairs({4294967296 + i, id}) do places[#places + 1] = one end
  for _, one in ipairs({ARGV[4], id}) do since[#since + 1] = one end
  if i > ${MANY} - tonumber(ARGV[5]) then for _, one in ipairs({ARGV[4] + i, id}) do listed[#listed + 1] = one end end
  if #places == 2000 then
    redis.call('ZADD', KEYS[1], unpack(places))
    redis.call('ZADD', KEYS[3], unpack(since))
    if #listed > 0 then redis.call('ZADD', KEYS[2], unpack(listed)) end
    places, listed, since = {}, {}, {}
  end
end
`;

/** KEYS as before. ARGV from, to, record prefix. */
const EMPTY = `
local names = {}
for i = ARGV[1], ARGV[2] do
  local id = string.format('job_%026d', i)
  names[#names + 1] = ARGV[3] .. id
  if i <= ${ON_THE_BOARD} then names[#names + 1] = (string.gsub(KEYS[1], 'prioritized$', id)) end
  if #names >= 2000 then
    redis.call('UNLINK', unpack(names))
    names = {}
  end
end
redis.call('UNLINK', unpack(KEYS))
if #names > 0 then redis.call('UNLINK', unpack(names)) end
`;

/** The id of one of them. */
export const manyId = (number: number): string => `job_${String(number).padStart(26, '0')}`;

/** A Redis full of jobs. */
export interface ManyJobs {
  /** How often a command was called so far, by whoever. */
  calls(command: string): Promise<number>;
  /** Changes fields of a record, as another version might have left them. */
  write(id: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Takes all jobs out again. */
  empty(): Promise<void>;
}

/** Fills the private Redis of a data folder, in an installation of its own. */
export async function manyJobs(dataDir: string, namespace: string): Promise<ManyJobs> {
  const redis = connectRedis({ socketPath: join(dataDir, 'redis.sock') }, 'work');
  const keys = createKeys(namespace);
  const own = [`${keys.queuePrefix}:${QUEUE}:prioritized`, keys.allJobs(), keys.standing(`waiting:${QUEUE}`)];
  const inChunks = async (script: string, ...more: (string | number)[]) => {
    for (let from = 1; from <= MANY; from += CHUNK)
      await redis.eval(script, own.length, ...own, from, from + CHUNK - 1, keys.recordPrefix, ...more);
  };
  await inChunks(FILL, Date.now(), DEFAULT_RETENTION.listedJobs);
  return {
    calls: (command) => callsOf(redis, command),
    async write(id, fields) {
      await redis.hset(`${keys.recordPrefix}${id}`, fields);
    },
    async empty() {
      await inChunks(EMPTY);
      closeRedis(redis);
    },
  };
}

async function callsOf(redis: Redis, command: string): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
}
