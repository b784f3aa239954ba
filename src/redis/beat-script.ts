/** The beat of a worker, as Lua. Stands alone, since the thread that beats should load no more than it needs. */
import { createScript } from './script.js';

/** What a worker told is forgotten so long after its last beat; that it was there is known until somebody takes its jobs. */
export const REPORT_TTL_MS = 60_000;

/** Beats, by the clock of Redis. KEYS beats, report. ARGV worker, report as JSON, its ttl, ttl of the beats. */
export const beatScript = createScript(`
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
`);
