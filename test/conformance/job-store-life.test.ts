/** What every job store must do with one job: create it once, hand it to one run at a time, end it once. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import type { JobId } from '../../src/core/ids.js';
import type { JobSeed } from '../../src/core/job.js';
import { cancelled, completed, failed, faultOf, seedOf } from '../support/job-seeds.js';
import { PLACES, useCore } from '../support/places.js';

const claim = (key: string, argsFingerprint = 'args') => ({ key, argsFingerprint });
const on = (workerId: string, run: string) => ({ workerId, run });

describe.each(PLACES)('creating a job on $name', (place) => {
  const core = useCore(place);

  it('a new job waits, with nothing spent', async () => {
    const seed = seedOf({ retryOf: seedOf().id });
    expect(await core().store.create(seed)).toEqual({ kind: 'created' });
    expect(await core().store.get(seed.id)).toEqual({ seed, state: 'waiting', attempt: 0, crashes: 0, faults: [] });
  });

  it('a job nobody created is not there', async () => {
    const { id } = seedOf();
    expect(await core().store.get(id)).toBeUndefined();
    expect(await core().store.outcome(id)).toBeUndefined();
  });

  it('the same key leads to the first job, and says whether the arguments are the same', async () => {
    const [first, second, third] = [seedOf(), seedOf(), seedOf()];
    await core().store.create(first, claim('k'));
    const existing = { kind: 'existing', id: first.id };
    expect(await core().store.create(second, claim('k'))).toEqual({ ...existing, sameArguments: true });
    expect(await core().store.create(third, claim('k', 'other'))).toEqual({ ...existing, sameArguments: false });
    expect(await core().store.get(second.id)).toBeUndefined();
  });

  it('a key belongs to its principal', async () => {
    await core().store.create(seedOf({ principal: 'alice' }), claim('k'));
    expect(await core().store.create(seedOf({ principal: 'bob' }), claim('k'))).toEqual({ kind: 'created' });
  });

  it('a key leads to its job after the job ended', async () => {
    const first = seedOf();
    await core().store.create(first, claim('k'));
    await core().store.end(first.id, completed());
    expect(await core().store.create(seedOf(), claim('k'))).toMatchObject({ kind: 'existing', id: first.id });
  });

  it('a key whose job has expired is free again', async () => {
    const [first, second] = [seedOf(), seedOf()];
    await core().store.create(first, claim('k'));
    await core().forget(first.id);
    expect(await core().store.create(second, claim('k', 'other'))).toEqual({ kind: 'created' });
    expect(await core().store.create(seedOf(), claim('k', 'other'))).toMatchObject({ id: second.id });
  });

  it('of many that claim one key at once, one creates and all others find it', async () => {
    const seeds = Array.from({ length: 30 }, () => seedOf());
    const creations = await Promise.all(seeds.map((seed) => core().store.create(seed, claim('k'))));
    const winners = seeds.filter((_, index) => creations[index]?.kind === 'created');
    expect(winners).toHaveLength(1);
    const named = creations.flatMap((creation) => (creation.kind === 'existing' ? [creation.id] : []));
    expect(new Set(named)).toEqual(new Set([winners[0]?.id]));
  });

  it('creating the same job twice is harmless', async () => {
    const seed = seedOf();
    await core().store.create(seed, claim('k'));
    await core().store.begin(seed, on('w1', 'r1'));
    expect(await core().store.create(seed, claim('k'))).toEqual({ kind: 'created' });
    expect(await core().store.get(seed.id)).toMatchObject({ state: 'active', attempt: 1 });
  });
});

describe.each(PLACES)('running a job on $name', (place) => {
  const core = useCore(place);
  const created = async (): Promise<JobSeed> => {
    const seed = seedOf();
    await core().store.create(seed);
    return seed;
  };
  const record = (id: JobId) => core().store.get(id);

  it('the first run is the first attempt, and the record names its worker', async () => {
    const seed = await created();
    expect(await core().store.begin(seed, on('w1', 'r1'))).toEqual({ kind: 'run', attempt: 1, crashes: 0 });
    const found = await record(seed.id);
    expect(found).toMatchObject({ state: 'active', attempt: 1, workerId: 'w1' });
    expect(Math.abs((found?.startedAtMs ?? 0) - Date.now())).toBeLessThan(5_000);
  });

  it('beginning the same run twice is harmless', async () => {
    const seed = await created();
    await core().store.begin(seed, on('w1', 'r1'));
    expect(await core().store.begin(seed, on('w1', 'r1'))).toEqual({ kind: 'run', attempt: 1, crashes: 0 });
    expect(await core().log.read(seed.id, '0-0', 10)).toHaveLength(1);
  });

  it('a run found active is a crash of its worker, not an attempt', async () => {
    const seed = await created();
    await core().store.begin(seed, on('w1', 'r1'));
    const lost = (run: string) => ({ lost: { run, startedAtMs: expect.any(Number) } });
    const again = { kind: 'run', attempt: 1 };
    expect(await core().store.begin(seed, on('w2', 'r2'))).toEqual({ ...again, crashes: 1, ...lost('r1') });
    expect(await core().store.begin(seed, on('w3', 'r3'))).toEqual({ ...again, crashes: 2, ...lost('r2') });
    expect(await record(seed.id)).toMatchObject({ workerId: 'w3', crashes: 2 });
  });

  it('a run is told whether earlier ones left steps or questions', async () => {
    const [plain, stepped, asking] = [await created(), await created(), await created()];
    for (const seed of [plain, stepped, asking]) await core().store.begin(seed, on('w1', 'r1'));
    await core().journal.write(stepped.id, 'r1', 'a', 1);
    const question = { key: 'q', kind: 'sampling', request: {}, fingerprint: 'p', deadlineMs: 2e12 } as const;
    await core().mailbox.ask(asking.id, 'r1', [question]);
    const again = { kind: 'run', attempt: 1, crashes: 0 };
    for (const { id } of [plain, stepped, asking]) await core().store.leave(id, 'r1', 'waiting');
    expect(await core().store.begin(plain, on('w2', 'r2'))).toEqual(again);
    expect(await core().store.begin(stepped, on('w2', 'r2'))).toEqual({ ...again, resumes: true });
    expect(await core().store.begin(stepped, on('w2', 'r2'))).toEqual({ ...again, resumes: true });
    expect(await core().store.begin(asking, on('w2', 'r2'))).toEqual({ ...again, resumes: true });
  });

  it('a job revoked from its dead worker waits; the crash is told, and the dead run writes nothing more', async () => {
    const seed = await created();
    const { store, log, journal } = core();
    await store.begin(seed, on('w1', 'dead'));
    expect(await store.revoke(seed.id, 'w2')).toBe(false);
    expect(await store.revoke(seed.id, 'w1')).toBe(true);
    expect(await store.revoke(seed.id, 'w1')).toBe(false);
    const fault = { attempt: 1, error: { code: 'worker_crashed', retryable: true } };
    expect(await record(seed.id)).toMatchObject({ state: 'waiting', attempt: 1, crashes: 1, faults: [fault] });
    expect(await log.append(seed.id, 'dead', [{ type: 'progress', progress: 1 }])).toBe('superseded');
    expect(await journal.write(seed.id, 'dead', 'a', 1)).toBe('superseded');
    expect(await store.leave(seed.id, 'dead', 'parked')).toBe('superseded');
    expect(await store.end(seed.id, completed(), 'dead')).toEqual({ kind: 'superseded' });
    const lost = { run: 'dead', startedAtMs: expect.any(Number) };
    expect(await store.begin(seed, on('w2', 'next'))).toEqual({ kind: 'run', attempt: 1, crashes: 1, lost });
    await store.leave(seed.id, 'next', 'parked');
    expect(await store.begin(seed, on('w2', 'third'))).toEqual({ kind: 'run', attempt: 1, crashes: 1 });
  });

  it('a job that is not run is nobody’s to revoke', async () => {
    const seed = await created();
    expect(await core().store.revoke(seed.id, 'w1')).toBe(false);
    await core().store.begin(seed, on('w1', 'r1'));
    await core().store.leave(seed.id, 'r1', 'parked');
    expect(await core().store.revoke(seed.id, 'w1')).toBe(false);
    await core().store.end(seed.id, completed());
    expect(await core().store.revoke(seed.id, 'w1')).toBe(false);
    expect(await record(seed.id)).toMatchObject({ state: 'completed', crashes: 0 });
  });

  it.each(['waiting', 'parked'] as const)('leaving as %s spends no attempt', async (to) => {
    const seed = await created();
    await core().store.begin(seed, on('w1', 'r1'));
    expect(await core().store.leave(seed.id, 'r1', to)).toBe('written');
    expect(await record(seed.id)).toMatchObject({ state: to, attempt: 1, faults: [] });
    expect(await core().store.begin(seed, on('w1', 'r2'))).toEqual({ kind: 'run', attempt: 1, crashes: 0 });
  });

  it('a retry after a delay is the next attempt, and the fault is kept', async () => {
    const seed = await created();
    const fault = faultOf(1, new AppError('queue_unavailable', 'away'));
    await core().store.begin(seed, on('w1', 'r1'));
    expect(await core().store.leave(seed.id, 'r1', 'delayed', { fault })).toBe('written');
    expect(await record(seed.id)).toMatchObject({ state: 'delayed', faults: [fault] });
    expect(await core().store.begin(seed, on('w1', 'r2'))).toEqual({ kind: 'run', attempt: 2, crashes: 0 });
  });

  it('leaving twice, as after a lost reply, keeps one fault and tells one change', async () => {
    const seed = await created();
    const fault = faultOf(1, new AppError('queue_unavailable', 'away'));
    await core().store.begin(seed, on('w1', 'r1'));
    await core().store.leave(seed.id, 'r1', 'delayed', { fault });
    expect(await core().store.leave(seed.id, 'r1', 'delayed', { fault })).toBe('written');
    expect((await record(seed.id))?.faults).toEqual([fault]);
    expect(await core().log.read(seed.id, '0-0', 10)).toHaveLength(2);
  });

  it('a record that was lost is rebuilt from the seed, and listed again', async () => {
    const seed = await created();
    await core().forget(seed.id);
    expect((await core().store.list({ principal: 'alice', limit: 5 })).totalCount).toBe(0);
    expect(await core().store.begin(seed, on('w1', 'r1'))).toEqual({ kind: 'run', attempt: 1, crashes: 0 });
    expect(await record(seed.id)).toMatchObject({ seed, state: 'active' });
    expect((await core().store.list({ principal: 'alice', limit: 5 })).jobs).toHaveLength(1);
    expect((await core().store.list({ limit: 5 })).jobs).toHaveLength(1);
  });

  it('a superseded run may neither leave, end, append nor journal', async () => {
    const seed = await created();
    const { store, log, journal } = core();
    await store.begin(seed, on('w1', 'old'));
    await store.begin(seed, on('w2', 'new'));
    expect(await store.leave(seed.id, 'old', 'waiting')).toBe('superseded');
    expect(await store.end(seed.id, completed(), 'old')).toEqual({ kind: 'superseded' });
    expect(await log.append(seed.id, 'old', [{ type: 'progress', progress: 1 }])).toBe('superseded');
    expect(await journal.write(seed.id, 'old', 'a', 1)).toBe('superseded');
    expect(await record(seed.id)).toMatchObject({ state: 'active', workerId: 'w2' });
    expect((await journal.read(seed.id)).size).toBe(0);
    expect(await log.read(seed.id, '0-0', 10)).toHaveLength(2);
  });

  it('the run that holds the job may still end it after another gave up', async () => {
    const seed = await created();
    await core().store.begin(seed, on('w1', 'old'));
    await core().store.begin(seed, on('w2', 'new'));
    await core().store.end(seed.id, completed('old'), 'old');
    expect(await core().store.end(seed.id, completed('new'), 'new')).toEqual({ kind: 'ended' });
    expect(await core().store.outcome(seed.id)).toEqual(completed('new'));
  });
});

describe.each(PLACES)('ending a job on $name', (place) => {
  const core = useCore(place, { resultTtlMs: 60_000, activeTtlMs: 600_000, resultBytes: 1_000 });
  const running = async (): Promise<JobSeed> => {
    const seed = seedOf();
    await core().store.create(seed, claim('k'));
    await core().store.begin(seed, on('w1', 'r1'));
    return seed;
  };
  const outcomes = [completed(), failed(), cancelled()];
  const orders = outcomes.flatMap((first) => outcomes.map((second) => ({ first, second })));

  it.each(orders)('the first outcome wins: $first.state before $second.state', async ({ first, second }) => {
    const { id } = await running();
    expect(await core().store.end(id, first, 'r1')).toEqual({ kind: 'ended' });
    expect(await core().store.end(id, second, 'r1')).toEqual({ kind: 'already', state: first.state });
    expect(await core().store.end(id, second)).toEqual({ kind: 'already', state: first.state });
    expect(await core().store.outcome(id)).toEqual(first);
    expect(await core().store.get(id)).toMatchObject({ state: first.state });
  });

  it('a cancelled job never runs again, nor can its run write anything', async () => {
    const seed = await running();
    await core().store.end(seed.id, cancelled());
    expect(await core().store.begin(seed, on('w2', 'r2'))).toEqual({ kind: 'ended', state: 'cancelled' });
    expect(await core().store.leave(seed.id, 'r1', 'waiting')).toBe('ended');
    expect(await core().log.append(seed.id, 'r1', [{ type: 'progress', progress: 1 }])).toBe('ended');
    expect(await core().journal.write(seed.id, 'r1', 'a', 1)).toBe('ended');
    expect(await core().store.get(seed.id)).toMatchObject({ state: 'cancelled' });
  });

  it('a job nobody knows cannot be ended', async () => {
    expect(await core().store.end(seedOf().id, cancelled())).toEqual({ kind: 'missing' });
  });

  it('of a cancel and a completion at once, one wins and both hear the same', async () => {
    const { id } = await running();
    const endings = await Promise.all([core().store.end(id, completed(), 'r1'), core().store.end(id, cancelled())]);
    const state = (await core().store.get(id))?.state;
    expect(endings.map((ending) => ending.kind).sort()).toEqual(['already', 'ended']);
    expect(endings.find((ending) => ending.kind === 'already')).toEqual({ kind: 'already', state });
  });

  it('what is kept of an ended job is kept for the result’s time, counted from the end', async () => {
    const { id } = await running();
    const before = await core().lifetimes(id);
    expect(before.record).toBeGreaterThan(500_000);
    await core().store.end(id, completed(), 'r1');
    const after = await core().lifetimes(id);
    for (const leftMs of [after.record, after.events, after.outcome]) {
      expect(leftMs).toBeGreaterThan(50_000);
      expect(leftMs).toBeLessThanOrEqual(60_000);
    }
    const record = await core().store.get(id);
    expect((record?.expiresAtMs ?? 0) - (record?.endedAtMs ?? 0)).toBe(60_000);
  });

  it('the journal is forgotten at the end', async () => {
    const { id } = await running();
    await core().journal.write(id, 'r1', 'a', { found: 1 });
    expect((await core().lifetimes(id)).journal).toBeGreaterThan(500_000);
    await core().store.end(id, completed(), 'r1');
    expect(await core().lifetimes(id)).not.toHaveProperty('journal');
    expect((await core().journal.read(id)).size).toBe(0);
  });

  it('a result that is too large is refused, and the job can still end otherwise', async () => {
    const { id } = await running();
    const large = core().store.end(id, completed('x'.repeat(1_000)), 'r1');
    await expect(large).rejects.toMatchObject({ code: 'result_too_large' });
    expect(await core().store.end(id, failed(), 'r1')).toEqual({ kind: 'ended' });
  });
});
