/** The event log in memory; also counts its appends, so that a test can tell how often a job wrote. */
import type { JobEvent } from '../../../src/core/events.js';
import type { EventLog } from '../../../src/core/ports.js';
import { fence, type Memory } from './memory.js';

/** The log with what only a fake can tell. */
export interface FakeEventLog extends EventLog {
  /** Every batch that was offered, in order, whether taken or not. */
  readonly batches: readonly (readonly JobEvent[])[];
}

/** Builds the log over a shared memory. */
export function createFakeEventLog(memory: Memory): FakeEventLog {
  const batches: (readonly JobEvent[])[] = [];
  return {
    batches,
    async append(id, run, events) {
      batches.push(events);
      await memory.reach();
      const job = memory.live(id);
      const allowed = fence(job, run);
      if (!job || allowed !== 'written') return allowed;
      for (const event of events) {
        if (event.type === 'progress') {
          if (event.progress <= (job.progress?.progress ?? -1)) continue;
          const { type: _type, ...progress } = event;
          job.progress = progress;
        }
        memory.emit(id, event, memory.retention.eventsPerJob);
      }
      job.keptUntilMs = memory.now() + memory.retention.activeTtlMs;
      memory.wake(id, 'event');
      return 'written';
    },
    async appendForPart(id, run, { id: owner, key, group, share }, events) {
      await memory.reach();
      const [part, job] = [memory.live(id), memory.live(owner)];
      const allowed = fence(part, run);
      if (allowed !== 'written') return allowed;
      if (!job || fence(job, job.run ?? '') === 'ended') return 'ended';
      for (const event of events) {
        if (event.type !== 'progress') {
          memory.emit(owner, event, memory.retention.eventsPerJob);
          continue;
        }
        const done = memory.parts.get(owner) ?? new Map<string, number>();
        memory.parts.set(owner, done.set(key, Math.max(done.get(key) ?? 0, event.progress)));
        const ofGroup = [...done].filter(([other]) => other.startsWith(`${group}/`));
        const sum = ofGroup.reduce((total, [, units]) => total + units, 0);
        const progress = share.from + (share.to - share.from) * Math.min(1, sum / share.total);
        if (!(progress > (job.progress?.progress ?? -1))) continue;
        const message = `${share.before}${sum.toLocaleString('en-US')}${share.after}`;
        job.progress = { progress, total: share.outOf, message };
        memory.emit(owner, { type: 'progress', ...job.progress }, memory.retention.eventsPerJob);
      }
      memory.wake(owner, 'event');
      return 'written';
    },
    async read(id, cursor, limit) {
      await memory.reach();
      if (!memory.live(id)) return [];
      const after = Number.parseInt(cursor, 10);
      return (memory.events.get(id) ?? [])
        .filter((stored) => Number.parseInt(stored.cursor, 10) > after)
        .slice(0, limit);
    },
    async keeps(id, cursor) {
      await memory.reach();
      return (memory.events.get(id) ?? []).some((stored) => stored.cursor === cursor);
    },
    async onWake(id, listener) {
      await memory.reach();
      const listeners = memory.listeners.get(id) ?? new Set();
      memory.listeners.set(id, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && memory.listeners.get(id) === listeners) memory.listeners.delete(id);
      };
    },
  };
}
