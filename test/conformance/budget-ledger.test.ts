/** What every ledger of token budgets must do: never grant more than there is, count nothing twice, keep a line in order. */
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/core/ids.js';
import type { JobSeed } from '../../src/core/job.js';
import { cancelled, completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const SESSION = 's1';
const LIMIT = 100;

async function running(core: Core): Promise<JobSeed> {
  const seed = seedOf({ session: SESSION });
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  return seed;
}

describe.each(PLACES)('a session’s budget on $name', (place) => {
  const core = useCore(place);
  const reserve = (id: JobId, key: string, tokens: number, more: { run?: string; session?: string } = {}) =>
    core().ledger.reserve({ session: SESSION, id, run: 'r1', key, tokens, limit: LIMIT, ...more });
  const settle = (id: JobId, used: Record<string, number>) =>
    core().ledger.settle(SESSION, { id, run: 'r1' }, new Map(Object.entries(used)));
  /** What a job of its own could still reserve. */
  const isFree = async (tokens: number) => {
    const probe = await running(core());
    const { kind } = await reserve(probe.id, 'probe', tokens);
    await core().store.end(probe.id, cancelled());
    return kind === 'reserved';
  };

  it('is granted to its last token, over all jobs, and not beyond', async () => {
    const [a, b] = [await running(core()), await running(core())];
    expect(await reserve(a.id, 'x', 60)).toEqual({ kind: 'reserved', used: 0 });
    expect(await reserve(b.id, 'x', 41)).toEqual({ kind: 'full', used: 0 });
    expect(await reserve(b.id, 'x', 40)).toEqual({ kind: 'reserved', used: 0 });
    expect(await reserve(a.id, 'y', 1)).toEqual({ kind: 'full', used: 0 });
    expect(await reserve(a.id, 'y', 101)).toEqual({ kind: 'spent', used: 0 });
  });

  it('of many who reserve at once grants no more than there is', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => running(core())));
    const kinds = await Promise.all(jobs.map(async ({ id }) => (await reserve(id, 'x', 30)).kind));
    expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(3);
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(17);
  });

  it('counts a question once, however often it is reserved, settled and reserved again', async () => {
    const { id } = await running(core());
    for (let times = 0; times < 3; times++) expect(await reserve(id, 'x', 60)).toMatchObject({ kind: 'reserved' });
    expect(await isFree(40)).toBe(true);
    for (let times = 0; times < 3; times++) await settle(id, { x: 10, unknown: 50 });
    expect(await reserve(id, 'x', 60)).toEqual({ kind: 'reserved', used: 10 });
    expect(await isFree(90)).toBe(true);
    expect(await isFree(91)).toBe(false);
  });

  it('replaces the amount of a question that is asked otherwise before it was put', async () => {
    const { id } = await running(core());
    await reserve(id, 'x', 60);
    expect(await reserve(id, 'x', 80)).toMatchObject({ kind: 'reserved' });
    expect(await isFree(20)).toBe(true);
    expect(await isFree(21)).toBe(false);
  });

  it('is spent by answers, also beyond what they had reserved', async () => {
    const [a, b] = [await running(core()), await running(core())];
    await reserve(a.id, 'x', 60);
    await settle(a.id, { x: 95 });
    expect(await reserve(b.id, 'x', 6)).toEqual({ kind: 'spent', used: 95 });
    expect(await reserve(b.id, 'x', 5)).toEqual({ kind: 'reserved', used: 95 });
  });

  it('is free again when a job ends without answers, however it ends', async () => {
    for (const outcome of [cancelled(), completed()]) {
      const { id } = await running(core());
      await reserve(id, 'x', 100);
      expect(await isFree(1)).toBe(false);
      await core().store.end(id, outcome);
      expect(await isFree(100)).toBe(true);
    }
  });

  it('keeps what an ended job has used, and counts an answer that no run has settled by its size', async () => {
    const { id } = await running(core());
    await reserve(id, 'x', 30);
    await reserve(id, 'y', 30);
    await reserve(id, 'z', 30);
    await settle(id, { x: 20 });
    const question = { kind: 'sampling' as const, request: {}, fingerprint: 'p', deadlineMs: Date.now() + 60_000 };
    await core().mailbox.ask(id, 'r1', [
      { ...question, key: 'y' },
      { ...question, key: 'z' },
    ]);
    const reply = { kind: 'answered' as const, value: 'four' };
    await core().mailbox.answer(id, 'y', reply);
    await core().mailbox.answer(id, 'z', { kind: 'refused', message: 'a long refusal that used nothing' });
    await core().store.end(id, completed());
    const used = 20 + Math.ceil(JSON.stringify(reply).length / 4);
    expect(await reserve((await running(core())).id, 'x', 100)).toEqual({ kind: 'spent', used });
  });

  it('is told of by the end of a job that stood for a share, and of no other', async () => {
    const [spent, held, inLine, without] = [
      await running(core()),
      await running(core()),
      await running(core()),
      await running(core()),
    ];
    await reserve(spent.id, 'x', 60);
    await settle(spent.id, { x: 20 });
    await reserve(held.id, 'x', 80);
    expect(await reserve(inLine.id, 'x', 80)).toMatchObject({ kind: 'full' });
    for (const { id } of [spent, held, inLine])
      expect(await core().store.end(id, completed(), 'r1')).toEqual({ kind: 'ended', freed: true });
    expect(await core().store.end(without.id, completed(), 'r1')).toEqual({ kind: 'ended' });
  });

  it('of one session is not that of another', async () => {
    const { id } = await running(core());
    await reserve(id, 'x', 100);
    const other = await running(core());
    expect(await reserve(other.id, 'x', 100, { session: 's2' })).toEqual({ kind: 'reserved', used: 0 });
  });

  it('gives nothing to a superseded run, an ended job and an unknown one', async () => {
    const seed = await running(core());
    await core().store.begin(seed, { workerId: 'w2', run: 'r2' });
    expect(await reserve(seed.id, 'x', 10)).toMatchObject({ kind: 'superseded' });
    await core().store.end(seed.id, cancelled());
    expect(await reserve(seed.id, 'x', 10, { run: 'r2' })).toMatchObject({ kind: 'ended' });
    expect(await reserve(seedOf().id, 'x', 10)).toMatchObject({ kind: 'ended' });
    expect(await isFree(100)).toBe(true);
  });
});

describe.each(PLACES)('the line for a session’s budget on $name', (place) => {
  const core = useCore(place);
  const wishOf = (id: JobId) => ({ session: SESSION, id, run: 'r1', key: 'x', tokens: 1, limit: LIMIT });
  const wish = (id: JobId, tokens: number) => core().ledger.reserve({ ...wishOf(id), tokens });
  const setup = async () => {
    const jobs = await Promise.all(Array.from({ length: 4 }, () => running(core())));
    const [holder, first, second, third] = jobs.map(({ id }) => id);
    if (!holder || !first || !second || !third) throw new Error('four jobs were made');
    await wish(holder, 100);
    return { holder, first, second, third };
  };

  it('is named from its head as far as it fits, each once', async () => {
    const { holder, first, second, third } = await setup();
    for (const id of [first, second, third]) expect(await wish(id, 40)).toMatchObject({ kind: 'full' });
    expect(await core().ledger.next(SESSION)).toEqual([]);
    expect(await core().ledger.isWaiting(SESSION, first)).toBe(true);
    await core().ledger.settle(SESSION, { id: holder, run: 'r1' }, new Map([['x', 10]]));
    expect(await core().ledger.next(SESSION)).toEqual([first, second]);
    expect(await core().ledger.isWaiting(SESSION, first)).toBe(false);
    expect(await core().ledger.isWaiting(SESSION, third)).toBe(true);
    // What they are woken for is theirs before they run.
    expect(await core().ledger.next(SESSION)).toEqual([]);
    expect(await core().ledger.reserve({ ...wishOf(third), key: 'late', tokens: 11 })).toMatchObject({ kind: 'full' });
    for (const id of [first, second]) expect(await wish(id, 40)).toMatchObject({ kind: 'reserved' });
    expect(await core().ledger.next(SESSION)).toEqual([]);
    await core().store.end(first, cancelled());
    expect(await core().ledger.next(SESSION)).toEqual([third]);
  });

  it('names those who can never be served, too', async () => {
    const { holder, first, second } = await setup();
    await wish(first, 40);
    await wish(second, 2);
    await core().ledger.settle(SESSION, { id: holder, run: 'r1' }, new Map([['x', 95]]));
    expect(await core().ledger.next(SESSION)).toEqual([first, second]);
    expect(await wish(first, 40)).toMatchObject({ kind: 'spent' });
  });

  it('passes over jobs that ended, and holds a job once however often it asks', async () => {
    const { holder, first, second } = await setup();
    await wish(first, 60);
    for (let times = 0; times < 3; times++) await wish(second, 60);
    await core().store.end(first, cancelled());
    await core().store.end(holder, cancelled());
    expect(await core().ledger.next(SESSION)).toEqual([second]);
    expect(await core().ledger.next(SESSION)).toEqual([]);
  });

  it('is left by a job that got its share some other way', async () => {
    const { holder, first } = await setup();
    await wish(first, 60);
    await core().store.end(holder, cancelled());
    expect(await wish(first, 60)).toMatchObject({ kind: 'reserved' });
    expect(await core().ledger.isWaiting(SESSION, first)).toBe(false);
  });
});
