/** The totals on Redis: one hash of counts that only rise, and beside it what each process told of itself of late. */
import { WAITS_FOR } from '../core/job.js';
import { QUEUE_NAMES } from '../core/tool.js';
import { processReportSchema, type Standing, type Totals } from '../core/totals.js';
import type { RedisContext } from './context.js';
import { texts } from './replies.js';
import { createScript } from './script.js';
import { STANDINGS, TALLY } from './tally-scripts.js';

/** A process tells of itself every few seconds; one that did not for so long has ended. */
const REPORT_TTL_MS = 20_000;

/** The groups in which jobs stand, see `STANDING`. */
const WAITING_GROUPS = QUEUE_NAMES.map((queue) => `waiting:${queue}`);
const PARKED_GROUPS = WAITS_FOR.map((awaited) => `parked:${awaited}`);

const DROP_SILENT = `
local function dropSilent()
  local silent = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', clockMs() - ${REPORT_TTL_MS})
  for _, id in ipairs(silent) do redis.call('HDEL', KEYS[2], id) end
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', clockMs() - ${REPORT_TTL_MS})
end
`;

/**
 * Adds counts and keeps the report. The batch that was told last is a repeat after a lost reply.
 * KEYS totals, reports, when each was heard. ARGV process, batch, report as JSON, ttl, then pairs of field and count.
 */
const publishScript = createScript(`${TALLY}${DROP_SILENT}
local before = redis.call('HGET', KEYS[2], ARGV[1]) or ''
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[3], clockMs(), ARGV[1])
dropSilent()
for i = 2, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
keepTotals()
if string.match(before, '^%S+') == ARGV[2] then return 0 end
for i = 5, #ARGV, 2 do tally(ARGV[i], ARGV[i + 1]) end
return 1
`);

/** KEYS totals, reports, when each was heard. */
const reportsScript = createScript(`${TALLY}${DROP_SILENT}
dropSilent()
return redis.call('HVALS', KEYS[2])
`);

/** Counts once how long a job went on after its cancel. KEYS record. */
const letGoScript = createScript(`${TALLY}
local ended = tonumber(redis.call('HGET', KEYS[1], 'endedAtMs') or '')
if field(KEYS[1], 'state') ~= 'cancelled' or not ended then return 0 end
if redis.call('HSETNX', KEYS[1], 'letGo', 1) == 0 then return 0 end
observe('cancel', '', clockMs() - ended)
return 1
`);

const standingsScript = createScript(STANDINGS);

/** Builds the totals. */
export function createTotals({ redis, keys }: RedisContext): Totals {
  const own = [keys.totals(), keys.processes(), keys.processesHeard()];
  const standings = async () => {
    const groups = [...WAITING_GROUPS, ...PARKED_GROUPS];
    const found = texts(await standingsScript(redis, [keys.totals()], [keys.recordPrefix, ...groups])).map(Number);
    return groups.map((_, at): Standing => ({ jobs: found[2 * at] ?? 0, oldestMs: found[2 * at + 1] ?? 0 }));
  };
  return {
    async publish({ process, batch, report, counts }) {
      const pairs = [...counts].flat();
      await publishScript(redis, own, [process, batch, JSON.stringify(report), REPORT_TTL_MS, ...pairs]);
    },
    async leave(process) {
      await Promise.all([redis.hdel(keys.processes(), process), redis.zrem(keys.processesHeard(), process)]);
    },
    async letGo(id) {
      await letGoScript(redis, [keys.record(id)], []);
    },
    async read() {
      const [fields, stands, reports, sessions] = await Promise.all([
        redis.hgetall(keys.totals()),
        standings(),
        reportsScript(redis, own, []),
        redis.zcard(keys.sessions()),
      ]);
      return {
        totals: new Map(Object.entries(fields).map(([field, count]) => [field, Number(count)])),
        waiting: new Map(QUEUE_NAMES.map((queue, at) => [queue, stands[at] ?? NONE])),
        parked: new Map(WAITS_FOR.map((awaited, at) => [awaited, stands[QUEUE_NAMES.length + at] ?? NONE])),
        sessions,
        processes: texts(reports).flatMap(reportOf),
      };
    },
  };
}

const NONE: Standing = { jobs: 0, oldestMs: 0 };

/** What a newer version tells in a form unknown here is passed over. */
function reportOf(stored: string) {
  const json: unknown = JSON.parse(stored.slice(stored.indexOf(' ') + 1));
  const parsed = processReportSchema.safeParse(json);
  return parsed.success ? [parsed.data] : [];
}
