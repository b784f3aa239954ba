/** The jobs that have not ended, on Redis: a sorted set by when each is due for a look. */
import { type JobId, jobIdSchema } from '../core/ids.js';
import { isFinal, JOB_STATES, RECORD_VERSION } from '../core/job.js';
import type { UnfinishedJob, UnfinishedJobs } from '../core/sweep.js';
import type { RedisContext } from './context.js';
import { texts } from './replies.js';
import { createScript } from './script.js';

const FIELDS = ['state', 'queue', 'run', 'workerId', 'answered', 'awaits', 'untilMs', 'v'] as const;
type Fields = Readonly<Record<(typeof FIELDS)[number], string | undefined>>;

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** KEYS unfinished. ARGV limit. */
const dueScript = createScript(`${NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
`);

/** One that ended meanwhile is not brought back. KEYS unfinished. ARGV ms, record key prefix, then ids. */
const putOffScript = createScript(`${NOW}
for i = 3, #ARGV do
  if redis.call('EXISTS', ARGV[2] .. ARGV[i]) == 1 then
    redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[i])
  else
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end
return 1
`);

/** Builds the unfinished jobs. */
export function createUnfinishedJobs({ redis, keys }: RedisContext): UnfinishedJobs {
  return {
    async claim(sweeper, forMs) {
      return (await redis.set(keys.sweeping(), sweeper, 'PX', Math.max(1, Math.round(forMs)), 'NX')) === 'OK';
    },
    async due(limit) {
      return texts(await dueScript(redis, [keys.unfinished()], [limit])).map((id) => jobIdSchema.parse(id));
    },
    async look(ids) {
      const found = await Promise.all(ids.map((id) => redis.hmget(keys.record(id), ...FIELDS)));
      return ids.flatMap((id, at) => readable(id, found[at] ?? []));
    },
    async putOff(ids, forMs) {
      if (ids.length > 0) await putOffScript(redis, [keys.unfinished()], [forMs, keys.recordPrefix, ...ids]);
    },
  };
}

/** A record of an older version has no queue of its own; it is looked after once a worker of this version has run it. */
function readable(id: JobId, values: readonly (string | null)[]): UnfinishedJob[] {
  const fields = Object.fromEntries(FIELDS.map((name, at) => [name, values[at] ?? undefined])) as Fields;
  const state = JOB_STATES.find((one) => one === fields.state);
  const isNewer = Number(fields.v ?? 0) > RECORD_VERSION;
  if (!state || isFinal(state) || isNewer || fields.queue === undefined) return [];
  const { queue, run = '', workerId, awaits, answered, untilMs } = fields;
  const until = untilMs === undefined ? undefined : Number(untilMs);
  return [{ id, state, queue, run, workerId, awaits, isAnswered: answered === '1', untilMs: until }];
}
