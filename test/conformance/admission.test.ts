/** What every job store must refuse: jobs beyond what may wait, or what one principal may have unfinished; exactly those. */
import { describe, expect, it } from 'vitest';
import type { Creation } from '../../src/core/ports.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const RUN = { workerId: 'w1', run: 'r1' };

async function fill(core: Core, count: number, principal = 'alice') {
  const seeds = Array.from({ length: count }, () => seedOf({ principal }));
  for (const seed of seeds) expect(await core.store.create(seed)).toEqual({ kind: 'created' });
  return seeds;
}

const kinds = (creations: readonly Creation[], kind: Creation['kind']) =>
  creations.filter((creation) => creation.kind === kind).length;

describe.each(PLACES)('a full queue on $name', (place) => {
  const core = useCore(place, { queuedJobs: 100 });
  const FULL = { kind: 'full', what: 'queue' };

  it('lets in exactly as many as may wait, however many come at once', async () => {
    const creations = await Promise.all(Array.from({ length: 200 }, () => core().store.create(seedOf())));
    expect([kinds(creations, 'created'), kinds(creations, 'full')]).toEqual([100, 100]);
  });

  it('keeps nothing of a job it refuses, not even its idempotency key', async () => {
    const [first = seedOf()] = await fill(core(), 100);
    const claim = { key: 'k', argsFingerprint: 'args' };
    const refused = seedOf();
    expect(await core().store.create(refused, claim)).toEqual(FULL);
    expect(await core().store.get(refused.id)).toBeUndefined();
    expect((await core().store.list({ limit: 1 })).totalCount).toBe(100);
    await core().store.end(first.id, completed());
    expect(await core().store.create(refused, claim)).toEqual({ kind: 'created' });
  });

  it('still tells which job a key stands for, and takes parts of jobs', async () => {
    const held = seedOf();
    const claim = { key: 'k', argsFingerprint: 'args' };
    await core().store.create(held, claim);
    await fill(core(), 99);
    expect(await core().store.create(seedOf(), claim)).toMatchObject({ kind: 'existing', id: held.id });
    const share = { from: 0, to: 1, outOf: 1, total: 1, before: '', after: '' };
    const partOf = { id: held.id, key: 'part 0', group: 'g', share };
    expect(await core().store.create(seedOf({ partOf }))).toEqual({ kind: 'created' });
  });

  it('has room for one more for each job that runs or is parked, but not for one that will be tried again', async () => {
    const [first = seedOf()] = await fill(core(), 100);
    await core().store.begin(first, RUN);
    await core().store.leave(first.id, 'r1', 'delayed');
    expect(await core().store.create(seedOf())).toEqual(FULL);
    await core().store.begin(first, { ...RUN, run: 'r2' });
    await fill(core(), 1);
    await core().store.leave(first.id, 'r2', 'parked');
    expect(await core().store.create(seedOf())).toEqual(FULL);
  });

  it('takes a job back that ran, whether or not there is room', async () => {
    const [first = seedOf()] = await fill(core(), 100);
    await core().store.begin(first, RUN);
    await fill(core(), 1);
    expect(await core().store.leave(first.id, 'r1', 'waiting')).toBe('written');
    expect(await core().store.begin(first, { ...RUN, run: 'r2' })).toMatchObject({ kind: 'run' });
  });

  it('does not count a job whose record is gone', async () => {
    const [first = seedOf()] = await fill(core(), 100);
    await core().forget(first.id);
    await fill(core(), 1);
    expect(await core().store.create(seedOf())).toEqual(FULL);
  });
});

describe.each(PLACES)('a principal with as many jobs as it may have, on $name', (place) => {
  const core = useCore(place, { jobsPerPrincipal: 5 });
  const FULL = { kind: 'full', what: 'caller' };

  it('is refused one more, whatever its jobs do, until one has ended; others are not', async () => {
    const [a = seedOf(), b = seedOf()] = await fill(core(), 5);
    await core().store.begin(a, RUN);
    await core().store.begin(b, RUN);
    await core().store.leave(b.id, 'r1', 'parked');
    expect(await core().store.create(seedOf())).toEqual(FULL);
    await fill(core(), 1, 'bob');
    await core().store.end(a.id, completed(), 'r1');
    await fill(core(), 1);
    expect(await core().store.create(seedOf())).toEqual(FULL);
  });

  it('gets exactly as many as it may have when all come at once', async () => {
    const creations = await Promise.all(Array.from({ length: 20 }, () => core().store.create(seedOf())));
    expect(kinds(creations, 'created')).toBe(5);
  });
});
