/** Watching a job: every event once, in order, up to the outcome, through outages, and no longer than wished. */
import { describe, expect, it } from 'vitest';
import type { JobEvent, StoredEvent } from '../../src/core/events.js';
import { type JobId, newJobId } from '../../src/core/ids.js';
import type { WatchOptions } from '../../src/jobs/watch.js';
import { until, within } from '../support/gate.js';
import { cancelled, completed } from '../support/job-seeds.js';
import { type Setup, setup } from './setup.js';

const progress = (value: number): JobEvent => ({ type: 'progress', progress: value });

/** A watch under way: what it yielded so far, and its end. */
interface Watching {
  readonly seen: StoredEvent[];
  readonly ended: Promise<void>;
  abort(): void;
}

function watch({ jobs }: Setup, id: JobId, options: Partial<WatchOptions> = {}): Watching {
  const aborter = new AbortController();
  const seen: StoredEvent[] = [];
  const follow = async () => {
    for await (const stored of jobs.watch(id, { signal: aborter.signal, ...options })) seen.push(stored);
  };
  const ended = follow();
  ended.catch(() => undefined);
  return { seen, ended, abort: () => aborter.abort() };
}

function endOf(watching: Watching, limitMs = 3_000): Promise<void> {
  return within(watching.ended, { what: 'the watch to end', limitMs, seen: () => watching.seen });
}

async function sees(watching: Watching, count: number): Promise<void> {
  await until(
    () => watching.seen.map((stored) => stored.event),
    (events) => events.length >= count,
    { what: `${count} events`, limitMs: 3_000 },
  );
}

async function running(all: Setup): Promise<JobId> {
  const id = await all.submit();
  await all.begin(id);
  return id;
}

/** Waits until the watch listens and has read what there is. */
async function attached({ core }: Setup, id: JobId): Promise<void> {
  await until(
    () => core.memory.listeners.get(id)?.size ?? 0,
    (count) => count > 0,
    { what: 'the watch to listen' },
  );
}

/** Lets everything that is due without a timer happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const typesOf = (watching: Watching) => watching.seen.map((stored) => stored.event.type);

describe('watching a job', () => {
  it('past and coming events are yielded in order, and the outcome is the last', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id);
    await sees(watching, 1);
    await all.core.log.append(id, 'r1', [progress(1), progress(2)]);
    await sees(watching, 3);
    await all.core.store.end(id, completed(), 'r1');
    await endOf(watching);
    expect(typesOf(watching)).toEqual(['state', 'progress', 'progress', 'outcome']);
  });

  it('a watch from a cursor yields only what came after', async () => {
    const all = setup();
    const id = await running(all);
    await all.core.log.append(id, 'r1', [progress(1), progress(2)]);
    await all.core.store.end(id, completed(), 'r1');
    const whole = watch(all, id);
    await endOf(whole);
    const rest = watch(all, id, { cursor: whole.seen[1]?.cursor ?? '' });
    await endOf(rest);
    expect(rest.seen).toEqual(whole.seen.slice(2));
    const nothing = watch(all, id, { cursor: whole.seen.at(-1)?.cursor ?? '' });
    await endOf(nothing);
    expect(nothing.seen).toEqual([]);
  });

  it('a watcher that a flood overtakes is told that something is missing, once and in its place', async () => {
    const all = setup(undefined, { eventsPerJob: 450 });
    const id = await running(all);
    const watching = watch(all, id);
    await sees(watching, 1);
    const lines = Array.from(
      { length: 950 },
      (_, at): JobEvent => ({ type: 'log', level: 'info', logger: 't', data: at }),
    );
    await all.core.log.append(id, 'r1', lines);
    await all.core.store.end(id, completed(), 'r1');
    await endOf(watching);
    const [begun, told, ...rest] = watching.seen;
    expect(told?.event).toMatchObject({
      type: 'log',
      level: 'warning',
      data: { message: expect.stringContaining('missing') },
    });
    expect(told?.cursor).toBe(begun?.cursor);
    expect(rest.map(({ event }) => event).filter(({ type }) => type === 'log')).toEqual(lines.slice(-450));
  });

  it('a log longer than a page is read to its end', async () => {
    const all = setup();
    const id = await running(all);
    await all.core.log.append(
      id,
      'r1',
      Array.from({ length: 950 }, (_, index) => progress(index + 1)),
    );
    await all.core.store.end(id, completed(), 'r1');
    const watching = watch(all, id);
    await endOf(watching);
    expect(watching.seen).toHaveLength(952);
  });

  it('many watchers of one job all see everything', async () => {
    const all = setup();
    const id = await running(all);
    const watchers = Array.from({ length: 20 }, () => watch(all, id));
    await attached(all, id);
    await all.core.log.append(id, 'r1', [progress(1)]);
    await all.core.store.end(id, cancelled());
    await Promise.all(watchers.map((watching) => endOf(watching)));
    for (const watching of watchers) expect(typesOf(watching)).toEqual(['state', 'progress', 'outcome']);
  });

  it('a job that was stored just now is not looked for, and followed all the same', async () => {
    const all = setup();
    const id = await all.submit();
    const { store } = all.core;
    const get = store.get;
    let looks = 0;
    store.get = (looked) => {
      looks += 1;
      return get(looked);
    };
    const watching = watch(all, id, { isNew: true });
    await attached(all, id);
    await settled();
    expect(looks).toBe(0);
    await all.begin(id);
    await sees(watching, 1);
    await store.end(id, completed());
    await endOf(watching);
    expect(typesOf(watching)).toEqual(['state', 'outcome']);
  });

  it('a ring for what has just been read costs a look for more, and none for the job', async () => {
    const all = setup();
    const id = await running(all);
    const { store, log, memory } = all.core;
    const { get } = store;
    const { read } = log;
    const asked: string[] = [];
    store.get = (looked) => {
      asked.push('job');
      return get(looked);
    };
    log.read = async (...of) => {
      asked.push('log');
      if (asked.length === 1) memory.wake(id, 'event');
      return read(...of);
    };
    const watching = watch(all, id);
    await sees(watching, 1);
    await until(
      () => asked,
      (looks) => looks.length >= 2,
      { what: 'a look for more' },
    );
    await settled();
    expect(asked).toEqual(['log', 'log']);
    await store.end(id, completed());
    await endOf(watching);
  });

  it('an unknown job is an error', async () => {
    const all = setup();
    const watching = watch(all, newJobId());
    await expect(endOf(watching)).rejects.toMatchObject({ code: 'job_not_found' });
    expect(all.core.memory.listeners.size).toBe(0);
  });

  it('a job whose record vanishes under the watch is an error at the next wake-up', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id);
    await sees(watching, 1);
    all.core.memory.jobs.delete(id);
    all.core.memory.wake(id, 'event');
    await expect(endOf(watching)).rejects.toMatchObject({ code: 'job_not_found' });
  });
});

describe('ending a watch', () => {
  it('an abort ends it silently, the job goes on, and nobody listens any more', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id);
    await sees(watching, 1);
    watching.abort();
    await endOf(watching);
    expect((await all.core.store.get(id))?.state).toBe('active');
    expect(all.core.memory.listeners.size).toBe(0);
  });

  it('a watch whose signal has aborted before it began yields nothing', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id, { signal: AbortSignal.abort() });
    await endOf(watching);
    expect(watching.seen).toEqual([]);
  });

  it('a consumer that stops reading lets go of the listener', async () => {
    const all = setup();
    const id = await running(all);
    for await (const stored of all.jobs.watch(id, { signal: new AbortController().signal })) {
      expect(stored.event.type).toBe('state');
      break;
    }
    expect(all.core.memory.listeners.size).toBe(0);
  });

  it('a watch that ends while its subscription is still under way leaves no listener behind', async () => {
    const all = setup();
    const id = await running(all);
    all.core.memory.connection('hanging');
    const watching = watch(all, id);
    watching.abort();
    await endOf(watching);
    all.core.memory.connection('up');
    await settled();
    expect(all.core.memory.listeners.size).toBe(0);
  });
});

describe('watching through an outage', () => {
  it('a store that is away for a while is borne, and nothing is lost', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id, { patienceMs: 5_000 });
    await sees(watching, 1);
    all.core.memory.connection('refusing');
    all.core.memory.wake(id, 'event');
    all.core.memory.connection('up');
    await all.core.log.append(id, 'r1', [progress(1)]);
    await all.core.store.end(id, completed(), 'r1');
    await endOf(watching);
    expect(typesOf(watching)).toEqual(['state', 'progress', 'outcome']);
  });

  it('a missed wake-up is made good by the resync after the outage', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id);
    await sees(watching, 1);
    all.core.memory.emit(id, progress(1));
    all.core.memory.connection('up');
    await sees(watching, 2);
    watching.abort();
    await endOf(watching);
  });

  it.each(['refusing', 'hanging'] as const)(
    'patience with a store that is %s ends in queue_unavailable',
    async (how) => {
      const all = setup();
      const id = await running(all);
      all.core.memory.connection(how);
      const watching = watch(all, id, { patienceMs: 100 });
      await expect(endOf(watching)).rejects.toMatchObject({ code: 'queue_unavailable', retryable: true });
      all.core.memory.connection('up');
      await settled();
      expect(all.core.memory.listeners.size).toBe(0);
    },
  );

  it('a store that goes away under the watch is given up as well', async () => {
    const all = setup();
    const id = await running(all);
    const watching = watch(all, id, { patienceMs: 100 });
    await sees(watching, 1);
    all.core.memory.connection('hanging');
    all.core.memory.wake(id, 'event');
    await expect(endOf(watching)).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(all.core.memory.listeners.size).toBe(0);
  });

  it('an abort ends a watch that is bearing an outage', async () => {
    const all = setup();
    const id = await running(all);
    all.core.memory.connection('refusing');
    const watching = watch(all, id, { patienceMs: 60_000 });
    watching.abort();
    await endOf(watching);
    expect(watching.seen).toEqual([]);
  });
});
