/** What every job queue must do: give each job to one worker at a time, in turn, and follow the verdict on it. */
import { describe, expect, it } from 'vitest';
import type { JobSeed } from '../../src/core/job.js';
import type { Verdict } from '../../src/core/ports.js';
import { until, within } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';
import { startScripted } from '../support/scripted-consumer.js';

async function addJobs(core: Core, count: number): Promise<JobSeed[]> {
  const seeds = Array.from({ length: count }, () => seedOf());
  for (const seed of seeds) await core.queue.add(seed);
  return seeds;
}

const counts = (core: Core) => core.queue.counts('analysis');

async function countsBecome(core: Core, wanted: Partial<Awaited<ReturnType<typeof counts>>>): Promise<void> {
  const alike = (seen: Awaited<ReturnType<typeof counts>>) =>
    Object.entries(wanted).every(([name, value]) => Object.entries(seen).some(([n, v]) => n === name && v === value));
  await until(() => counts(core), alike, { what: JSON.stringify(wanted) });
}

describe.each(PLACES)('jobs that wait on $name', (place) => {
  const core = useCore(place);

  it('an empty queue counts nothing', async () => {
    expect(await counts(core())).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('adding a job twice queues it once', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    await Promise.all([core().queue.add(seed), core().queue.add(seed)]);
    expect(await counts(core())).toEqual({ waiting: 1, active: 0, delayed: 0 });
  });

  it('queues are apart', async () => {
    await core().queue.add(seedOf({ queue: 'review' }));
    expect(await counts(core())).toMatchObject({ waiting: 0 });
    expect(await core().queue.counts('review')).toMatchObject({ waiting: 1 });
  });

  it('a job’s position is its turn, and moves up', async () => {
    const [a = seedOf(), b = seedOf(), c = seedOf()] = await addJobs(core(), 3);
    const positions = () => Promise.all([a, b, c].map((seed) => core().queue.position(seed.id, 'analysis')));
    expect(await positions()).toEqual([1, 2, 3]);
    await core().queue.remove(b.id, 'analysis');
    expect(await positions()).toEqual([1, undefined, 2]);
    expect(await core().queue.position(seedOf().id, 'analysis')).toBeUndefined();
  });

  it('a waiting job can be removed once', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(true);
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(false);
    expect(await counts(core())).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('a job that was removed can be added again', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    await core().queue.remove(seed.id, 'analysis');
    await core().queue.add(seed);
    expect(await counts(core())).toMatchObject({ waiting: 1 });
  });
});

describe.each(PLACES)('jobs that are taken on $name', (place) => {
  const core = useCore(place);

  it('jobs are taken in the order they were added, as many as there are slots', async () => {
    const seeds = await addJobs(core(), 4);
    const worker = await startScripted(core(), 'w1', 2);
    await worker.take(2);
    await countsBecome(core(), { waiting: 2, active: 2 });
    worker.taken[0]?.decide({ kind: 'done' });
    await worker.take(3);
    expect(worker.taken.map((job) => job.delivery.id)).toEqual(seeds.slice(0, 3).map((seed) => seed.id));
  });

  it('a delivery carries the seed as it was added', async () => {
    const [seed] = await addJobs(core(), 1);
    const { delivery } = await (await startScripted(core(), 'w1')).take(1);
    expect(delivery.seed).toEqual(seed);
    expect(delivery.lost.aborted).toBe(false);
  });

  it('a consumer that is started twice takes each job once', async () => {
    const worker = await startScripted(core(), 'w1');
    await worker.service.start();
    const [first, second] = await addJobs(core(), 2);
    (await worker.take(1)).decide({ kind: 'done' });
    await worker.take(2);
    await countsBecome(core(), { waiting: 0, active: 1 });
    expect(worker.taken.map((job) => job.delivery.id)).toEqual([first?.id, second?.id]);
  });

  it('a job added while a consumer waits is taken', async () => {
    const worker = await startScripted(core(), 'w1');
    const [seed] = await addJobs(core(), 1);
    expect((await worker.take(1)).delivery.id).toBe(seed?.id);
  });

  it('a job that a worker holds has no position and cannot be removed or added again', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    await (await startScripted(core(), 'w1')).take(1);
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(false);
    expect(await core().queue.position(seed.id, 'analysis')).toBeUndefined();
    await core().queue.add(seed);
    expect(await counts(core())).toEqual({ waiting: 0, active: 1, delayed: 0 });
  });

  it.each([{ kind: 'done' }, { kind: 'failed', message: 'it broke' }] as const)(
    'a job whose verdict is $kind is never given out again',
    async (verdict) => {
      const [first = seedOf(), second] = await addJobs(core(), 2);
      const worker = await startScripted(core(), 'w1');
      (await worker.take(1)).decide(verdict);
      expect((await worker.take(2)).delivery.id).toBe(second?.id);
      await core().queue.add(first);
      await countsBecome(core(), { waiting: 0, active: 1, delayed: 0 });
    },
  );

  it('a job that is handed back is the next to be taken', async () => {
    const [first, second] = await addJobs(core(), 2);
    const worker = await startScripted(core(), 'w1');
    (await worker.take(1)).decide({ kind: 'hand_back' });
    (await worker.take(2)).decide({ kind: 'done' });
    await worker.take(3);
    expect(worker.taken.map((job) => job.delivery.id)).toEqual([first?.id, first?.id, second?.id]);
  });

  it('a delayed job keeps no slot, comes back when it is due, and may be delayed again', async () => {
    const [first, second] = await addJobs(core(), 2);
    const worker = await startScripted(core(), 'w1');
    const untilMs = Date.now() + 200;
    (await worker.take(1)).decide({ kind: 'delay', untilMs });
    (await worker.take(2)).decide({ kind: 'done' });
    const again = await worker.take(3);
    expect(Date.now()).toBeGreaterThanOrEqual(untilMs - 5);
    again.decide({ kind: 'delay', untilMs: Date.now() });
    await worker.take(4);
    expect(worker.taken.map((job) => job.delivery.id)).toEqual([first?.id, second?.id, first?.id, first?.id]);
  });

  it('a delayed job can be removed and then never comes back', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    (await worker.take(1)).decide({ kind: 'delay', untilMs: Date.now() + 60_000 });
    await countsBecome(core(), { delayed: 1, active: 0 });
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(true);
    expect(await counts(core())).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });
});

describe.each(PLACES)('jobs that are parked on $name', (place) => {
  const core = useCore(place);
  const park = (isReady: () => Promise<boolean>) =>
    ({ kind: 'park', untilMs: Date.now() + 60_000, isReady }) satisfies Verdict;

  it('a parked job keeps no slot until it is promoted, once', async () => {
    const [first = seedOf(), second] = await addJobs(core(), 2);
    const worker = await startScripted(core(), 'w1');
    (await worker.take(1)).decide(park(async () => false));
    (await worker.take(2)).decide({ kind: 'done' });
    await countsBecome(core(), { delayed: 1, active: 0 });
    const promoted = await Promise.all([1, 2].map(() => core().queue.promote(first.id, 'analysis')));
    expect(promoted.sort()).toEqual([false, true]);
    await worker.take(3);
    expect(worker.taken.map((job) => job.delivery.id)).toEqual([first.id, second?.id, first.id]);
  });

  it('a parked job comes back by itself when its time is over', async () => {
    await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    (await worker.take(1)).decide({ kind: 'park', untilMs: Date.now() + 100, isReady: async () => false });
    await worker.take(2);
  });

  it('what came between the verdict and the parking wakes the job at once', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    const held = await worker.take(1);
    expect(await core().queue.promote(seed.id, 'analysis')).toBe(false);
    held.decide(park(async () => true));
    await worker.take(2);
    expect(worker.taken).toHaveLength(2);
  });

  it('a parked job that is woken from both sides runs once', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1', 5);
    (await worker.take(1)).decide(
      park(async () => {
        await core().queue.promote(seed.id, 'analysis');
        return true;
      }),
    );
    (await worker.take(2)).decide({ kind: 'done' });
    await countsBecome(core(), { waiting: 0, active: 0, delayed: 0 });
    expect(worker.taken).toHaveLength(2);
  });

  it('a parked job can be removed and is then not promoted', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    (await worker.take(1)).decide(park(async () => false));
    await countsBecome(core(), { delayed: 1 });
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(true);
    expect(await core().queue.promote(seed.id, 'analysis')).toBe(false);
  });

  it('a job that waits, or that nobody knows, is not promoted', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    expect(await core().queue.promote(seed.id, 'analysis')).toBe(false);
    expect(await core().queue.promote(seedOf().id, 'analysis')).toBe(false);
    expect(await counts(core())).toEqual({ waiting: 1, active: 0, delayed: 0 });
  });
});

describe.each(PLACES)('workers that leave on $name', (place) => {
  const core = useCore(place);

  it('a quiet consumer takes nothing more but finishes what it has', async () => {
    const [first, second = seedOf()] = await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    const held = await worker.take(1);
    await within(worker.service.quiet(), { what: 'the consumer to be quiet' });
    await core().queue.add(second);
    held.decide({ kind: 'done' });
    await countsBecome(core(), { waiting: 1, active: 0 });
    expect(worker.taken.map((job) => job.delivery.id)).toEqual([first?.id]);
  });

  it('stopping waits for the job under way, and a second stop for the first', async () => {
    await addJobs(core(), 1);
    const worker = await startScripted(core(), 'w1');
    const held = await worker.take(1);
    let stopped = 0;
    const stops = [worker.service.stop(10_000), worker.service.stop(10_000)].map((stop) => stop.then(() => stopped++));
    await counts(core());
    expect(stopped).toBe(0);
    held.decide({ kind: 'done' });
    await within(Promise.all(stops), { what: 'both stops', seen: () => stopped });
    expect(await counts(core())).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('a job handed back while its consumer stops waits for another worker', async () => {
    const [seed] = await addJobs(core(), 1);
    const leaving = await startScripted(core(), 'w1');
    const held = await leaving.take(1);
    const stop = leaving.service.stop(10_000);
    held.decide({ kind: 'hand_back' });
    await within(stop, { what: 'the stop' });
    const next = await startScripted(core(), 'w2');
    expect((await next.take(1)).delivery.id).toBe(seed?.id);
    expect(leaving.taken).toHaveLength(1);
  });

  it('the jobs of a worker given up for dead are the next to be taken; others keep theirs', async () => {
    const [a, b, c] = await addJobs(core(), 3);
    await (await startScripted(core(), 'dead')).take(1);
    const alive = await startScripted(core(), 'alive');
    const held = await alive.take(1);
    expect(await core().queue.handBack('dead', 'analysis')).toEqual([a?.id]);
    expect(await counts(core())).toMatchObject({ waiting: 2, active: 1 });
    held.decide({ kind: 'done' });
    (await alive.take(2)).decide({ kind: 'done' });
    await alive.take(3);
    expect(alive.taken.map((job) => job.delivery.id)).toEqual([b?.id, a?.id, c?.id]);
  });

  it('a job that was handed back waits like any other: it has a position and can be removed', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    await (await startScripted(core(), 'dead')).take(1);
    await core().queue.handBack('dead', 'analysis');
    expect(await core().queue.position(seed.id, 'analysis')).toBe(1);
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(true);
    expect(await counts(core())).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('handing back twice at once, or where nothing is held, is harmless', async () => {
    const [seed] = await addJobs(core(), 1);
    await (await startScripted(core(), 'dead')).take(1);
    const twice = await Promise.all([1, 2].map(() => core().queue.handBack('dead', 'analysis')));
    expect(twice.flat()).toContain(seed?.id);
    expect(await core().queue.handBack('nobody', 'analysis')).toEqual([]);
    expect(await counts(core())).toEqual({ waiting: 1, active: 0, delayed: 0 });
  });

  it('a job of a dead worker is given out once, however many hand it back while it is taken', async () => {
    const seeds = await addJobs(core(), 20);
    await (await startScripted(core(), 'dead', 20)).take(20);
    const alive = await startScripted(core(), 'alive', 30);
    const handBacks = Array.from({ length: 8 }, () => core().queue.handBack('dead', 'analysis'));
    await alive.take(20);
    await Promise.all(handBacks);
    const [last] = await addJobs(core(), 1);
    expect((await alive.take(21)).delivery.id).toBe(last?.id);
    const ids = alive.taken.map((job) => job.delivery.id);
    expect(ids.slice(0, 20).sort()).toEqual(seeds.map((seed) => seed.id).sort());
    expect(await counts(core())).toEqual({ waiting: 0, active: 21, delayed: 0 });
  });

  it('a late verdict of a worker given up for dead does not disturb the new holder', async () => {
    const [seed = seedOf()] = await addJobs(core(), 1);
    const dead = await startScripted(core(), 'dead', 1);
    const late = await dead.take(1);
    await core().queue.handBack('dead', 'analysis');
    const holder = await startScripted(core(), 'alive', 2);
    const held = await until(
      () => holder.taken[0],
      (job) => job !== undefined,
      { what: 'the new holder' },
    );
    // Its verdict leaves its slot free, for which it would take the next job, if it came first.
    await within(dead.service.quiet(), { what: 'the dead consumer to take no more' });
    late.decide({ kind: 'done' });
    await core().queue.add(seedOf());
    await holder.take(2);
    expect(held?.delivery.lost.aborted).toBe(false);
    expect(await core().queue.remove(seed.id, 'analysis')).toBe(false);
    expect(await counts(core())).toMatchObject({ active: 2 });
  });
});
