/** The workers there are, on Redis: a sorted set of their last beats, and for each what it told of itself. */
import { type Presence, type WorkerView, workerReportSchema } from '../core/presence.js';
import { beatScript, REPORT_TTL_MS } from './beat-script.js';
import type { RedisContext } from './context.js';
import { texts } from './replies.js';
import { createScript } from './script.js';

/** Whoever claimed a dead worker and died as well is in nobody's way for longer. */
const CLAIM_MS = 5_000;

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/**
 * Names those that have been silent. It writes, so that it fails where nobody can beat either, as in a Redis that is full.
 * KEYS beats, watch. ARGV silence in ms, ttl.
 */
const silentScript = createScript(`${NOW}
redis.call('SET', KEYS[2], now, 'PX', ARGV[2])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
`);

/** Builds the presence. */
export function createPresence({ redis, keys, retention }: RedisContext): Presence {
  return {
    async beat(report) {
      const args = [report.id, JSON.stringify(report), REPORT_TTL_MS, retention.activeTtlMs];
      await beatScript(redis, [keys.workers(), keys.worker(report.id)], args);
    },
    async leave(workerId) {
      await redis.zrem(keys.workers(), workerId);
      await redis.del(keys.worker(workerId));
    },
    async workers() {
      const beats = await redis.zrangebyscore(keys.workers(), '-inf', '+inf', 'WITHSCORES');
      const found = beats.flatMap((id, at) => (at % 2 === 0 ? [{ id, beatAtMs: Number(beats[at + 1]) }] : []));
      if (found.length === 0) return [];
      const reports = await redis.mget(...found.map(({ id }) => keys.worker(id)));
      const views = found.flatMap(({ beatAtMs }, at) => viewOf(reports[at] ?? null, beatAtMs));
      return views.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async silent(silenceMs) {
      return texts(await silentScript(redis, [keys.workers(), keys.deathWatch()], [silenceMs, REPORT_TTL_MS]));
    },
    isKnown: async (workerId) => (await redis.zscore(keys.workers(), workerId)) !== null,
    async claim(workerId, finder) {
      return (await redis.set(keys.recovery(workerId), finder, 'PX', CLAIM_MS, 'NX')) === 'OK';
    },
  };
}

/** What a newer version tells in a form unknown here is passed over: old and new run side by side. */
function viewOf(text: string | null, beatAtMs: number): WorkerView[] {
  const parsed = workerReportSchema.safeParse(JSON.parse(text ?? 'null'));
  return parsed.success ? [{ ...parsed.data, beatAtMs }] : [];
}
