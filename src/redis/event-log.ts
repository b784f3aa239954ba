/** A job's events on a Redis stream; pub/sub only says that there is something to read. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type JobEvent, jobEventSchema, type StoredEvent } from '../core/events.js';
import type { EventLog } from '../core/ports.js';
import type { RedisContext } from './context.js';
import { appendEventsScript, appendForPartScript } from './event-scripts.js';
import { fencedWrite } from './replies.js';
import { createWakeUps } from './wake-ups.js';

/** Builds the event log; `subscriber` is a connection of its own in the `subscribe` role. */
export function createEventLog(context: RedisContext, subscriber: Redis): EventLog {
  const { redis, keys, retention } = context;
  const wakeUps = createWakeUps(subscriber, keys);
  return {
    async append(id, run, events) {
      const pairs = events.flatMap((event) => [progressOf(event), JSON.stringify(event)]);
      const args = [run, retention.activeTtlMs, retention.eventsPerJob, keys.wake(id), randomUUID(), ...pairs];
      return fencedWrite(await appendEventsScript(redis, [keys.record(id), keys.events(id)], args));
    },
    async appendForPart(id, run, { id: job, key, group, share }, events) {
      const pairs = events.flatMap((event) => [progressOf(event), JSON.stringify(event)]);
      const args = [run, retention.activeTtlMs, retention.eventsPerJob, keys.wake(job), randomUUID(), key, group];
      const all = [keys.record(id), keys.record(job), keys.events(job), keys.inputs(job)];
      return fencedWrite(await appendForPartScript(redis, all, [...args, JSON.stringify(share), ...pairs]));
    },
    async read(id, cursor, limit) {
      const events: StoredEvent[] = [];
      let after = cursor;
      for (;;) {
        const wanted = limit - events.length;
        const entries = await redis.xrange(keys.events(id), `(${after}`, '+', 'COUNT', wanted);
        events.push(...entries.flatMap(([entryId, fields]) => parseEntry(entryId, fields)));
        // A page that is not full says that nothing follows, so it is filled in place of what is passed over.
        if (events.length === limit || entries.length < wanted) return events;
        after = entries.at(-1)?.[0] ?? after;
      }
    },
    keeps: async (id, cursor) => (await redis.xrange(keys.events(id), cursor, cursor)).length > 0,
    onWake: wakeUps.on,
  };
}

function progressOf(event: JobEvent): string {
  return event.type === 'progress' ? String(event.progress) : '';
}

/** An event of a newer version is passed over, not failed: old and new front ends run side by side. */
function parseEntry(entryId: string, fields: readonly string[]): StoredEvent[] {
  const parsed = jobEventSchema.safeParse(JSON.parse(fields[1] ?? 'null'));
  if (!parsed.success) return [];
  return [{ cursor: entryId, atMs: Number.parseInt(entryId, 10), event: parsed.data }];
}
