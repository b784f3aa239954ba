/** What every event log must do: keep order, refuse what comes late, and wake whoever listens. */
import { describe, expect, it } from 'vitest';
import { type JobEvent, LOG_START } from '../../src/core/events.js';
import type { JobId } from '../../src/core/ids.js';
import type { Wake } from '../../src/core/ports.js';
import { within } from '../support/gate.js';
import { cancelled, completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const progress = (value: number): JobEvent => ({ type: 'progress', progress: value });
const line = (data: string): JobEvent => ({ type: 'log', level: 'info', logger: 'echo', data });

async function running(core: Core): Promise<JobId> {
  const seed = seedOf();
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  return seed.id;
}

async function eventsOf(core: Core, id: JobId): Promise<JobEvent[]> {
  return (await core.log.read(id, LOG_START, 10_000)).map((stored) => stored.event);
}

/** A listener that keeps what it heard and lets a test wait for a word. */
function createEar(): { heard: Wake[]; listen(wake: Wake): void; hears(wake: Wake): Promise<void> } {
  const heard: Wake[] = [];
  const waiting: { wake: Wake; resolve: () => void }[] = [];
  return {
    heard,
    listen(wake) {
      heard.push(wake);
      for (const waiter of waiting) if (waiter.wake === wake) waiter.resolve();
    },
    hears(wake) {
      const said = heard.includes(wake)
        ? Promise.resolve()
        : new Promise<void>((resolve) => waiting.push({ wake, resolve }));
      return within(said, { what: `the wake-up ${wake}`, seen: () => heard });
    },
  };
}

describe.each(PLACES)('the events of a job on $name', (place) => {
  const core = useCore(place);

  it('events are read in the order they were appended, each after its cursor', async () => {
    const id = await running(core());
    await core().log.append(id, 'r1', [line('a'), progress(1)]);
    await core().log.append(id, 'r1', [line('b')]);
    const all = await core().log.read(id, LOG_START, 10);
    expect(all.map((stored) => stored.event)).toEqual([
      { type: 'state', state: 'active', attempt: 1 },
      line('a'),
      progress(1),
      line('b'),
    ]);
    for (const [index, stored] of all.entries()) {
      const rest = await core().log.read(id, stored.cursor, 10);
      expect(rest).toEqual(all.slice(index + 1));
    }
    expect(await core().log.read(id, LOG_START, 2)).toEqual(all.slice(0, 2));
  });

  it('a job without events has an empty log', async () => {
    expect(await core().log.read(seedOf().id, LOG_START, 10)).toEqual([]);
  });

  it('data of every JSON shape comes back as it went', async () => {
    const id = await running(core());
    const data = { text: 'ü "quoted" \n\u2028', nothing: null, list: [1, [2.5], {}], yes: true, empty: '' };
    await core().log.append(id, 'r1', [{ type: 'log', level: 'debug', logger: 'echo', data }]);
    expect((await eventsOf(core(), id)).at(-1)).toMatchObject({ data });
  });

  it('progress that does not rise is left out, in one batch, in the next and in the next run', async () => {
    const id = await running(core());
    await core().log.append(id, 'r1', [progress(2), progress(2), progress(1), progress(3)]);
    await core().log.append(id, 'r1', [progress(3), progress(0.5), progress(3.5)]);
    await core().store.leave(id, 'r1', 'waiting');
    const seed = (await core().store.get(id))?.seed;
    if (seed) await core().store.begin(seed, { workerId: 'w2', run: 'r2' });
    await core().log.append(id, 'r2', [progress(1), progress(4)]);
    const values = (await eventsOf(core(), id)).flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
    expect(values).toEqual([2, 3, 3.5, 4]);
  });

  it('the record carries the latest progress with its total and message', async () => {
    const id = await running(core());
    await core().log.append(id, 'r1', [{ type: 'progress', progress: 0, total: 9, message: 'first' }]);
    await core().log.append(id, 'r1', [{ type: 'progress', progress: 3, total: 9, message: 'third' }, progress(2)]);
    expect((await core().store.get(id))?.progress).toEqual({ progress: 3, total: 9, message: 'third' });
  });

  it('the outcome is the last event, and nothing is appended after it', async () => {
    const id = await running(core());
    await core().log.append(id, 'r1', [progress(1)]);
    await core().store.end(id, completed(), 'r1');
    expect(await core().log.append(id, 'r1', [line('late')])).toBe('ended');
    expect((await eventsOf(core(), id)).at(-1)).toEqual({ type: 'outcome', state: 'completed' });
  });

  it('nothing is appended to a job that is not there', async () => {
    const { id } = seedOf();
    expect(await core().log.append(id, 'r1', [line('late')])).toBe('ended');
    expect(await core().log.read(id, LOG_START, 10)).toEqual([]);
  });

  it('an unfinished job’s events expire with its record', async () => {
    const id = await running(core());
    await core().log.append(id, 'r1', [line('a')]);
    const { record = 0, events = -1 } = await core().lifetimes(id);
    expect(Math.abs(record - events)).toBeLessThan(5_000);
  });
});

describe.each(PLACES)('a long log on $name', (place) => {
  const core = useCore(place, { eventsPerJob: 5 });

  it('a log with a tiny cap stays bounded, keeps the newest events, and its outcome survives', async () => {
    const id = await running(core());
    for (let batch = 0; batch < 10; batch += 1) {
      const lines = Array.from({ length: 100 }, (_, index) => line(`${batch}.${index}`));
      await core().log.append(id, 'r1', lines);
    }
    await core().store.end(id, cancelled());
    const events = await eventsOf(core(), id);
    expect(events.length).toBeLessThan(300);
    expect(events.slice(-2)).toEqual([line('9.99'), { type: 'outcome', state: 'cancelled' }]);
  });

  it('a watcher whose cursor was trimmed away reads on from what is left, and can tell', async () => {
    const id = await running(core());
    const [first] = await core().log.read(id, LOG_START, 1);
    expect(await core().log.keeps(id, first?.cursor ?? '')).toBe(true);
    for (let batch = 0; batch < 5; batch += 1) {
      await core().log.append(
        id,
        'r1',
        Array.from({ length: 100 }, (_, index) => line(`${batch}.${index}`)),
      );
    }
    const rest = await core().log.read(id, first?.cursor ?? LOG_START, 1_000);
    expect(rest.at(-1)?.event).toEqual(line('4.99'));
    expect(await core().log.keeps(id, first?.cursor ?? '')).toBe(false);
    expect(await core().log.keeps(id, rest[0]?.cursor ?? '')).toBe(true);
  });
});

describe.each(PLACES)('wake-ups on $name', (place) => {
  const core = useCore(place);

  it('a listener hears every kind of change of its job, and the end as an end', async () => {
    const seed = seedOf();
    const ear = createEar();
    await core().store.create(seed);
    await core().log.onWake(seed.id, ear.listen);
    await core().store.begin(seed, { workerId: 'w1', run: 'r1' });
    await ear.hears('event');
    await core().store.end(seed.id, cancelled());
    await ear.hears('ended');
    expect(ear.heard).toEqual(['event', 'ended']);
  });

  it('what happens after the subscription is acknowledged is never missed', async () => {
    for (let round = 0; round < 50; round += 1) {
      const seed = seedOf();
      const ear = createEar();
      await core().store.create(seed);
      await core().log.onWake(seed.id, ear.listen);
      await core().store.end(seed.id, cancelled());
      await ear.hears('ended');
    }
  });

  it('a listener hears nothing of other jobs, and nothing after it stopped', async () => {
    const [mine, other] = [await running(core()), await running(core())];
    const [ear, witness] = [createEar(), createEar()];
    const stop = await core().log.onWake(mine, ear.listen);
    await core().log.onWake(mine, witness.listen);
    await core().log.append(other, 'r1', [line('elsewhere')]);
    stop();
    stop();
    await core().store.end(mine, cancelled());
    await witness.hears('ended');
    expect(ear.heard).toEqual([]);
    expect(witness.heard).toEqual(['ended']);
  });

  it('a listener that comes as the last one goes hears what follows', async () => {
    const id = await running(core());
    const stop = await core().log.onWake(id, () => undefined);
    const ear = createEar();
    const coming = core().log.onWake(id, ear.listen);
    stop();
    await coming;
    await core().store.end(id, cancelled());
    await ear.hears('ended');
  });

  it('after lost connections everybody is told to look again, and later wake-ups arrive', async () => {
    const id = await running(core());
    const ear = createEar();
    await core().log.onWake(id, ear.listen);
    await core().loseConnections();
    await ear.hears('resync');
    await core().store.end(id, cancelled());
    await ear.hears('ended');
    expect((await eventsOf(core(), id)).at(-1)).toEqual({ type: 'outcome', state: 'cancelled' });
  });
});
