/** What every job store must answer when it is asked for a list. */
import { describe, expect, it } from 'vitest';
import type { JobSeed } from '../../src/core/job.js';
import type { ListQuery } from '../../src/core/ports.js';
import { cancelled, completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const BASE_MS = 1_700_000_000_000;

async function fill(core: Core, count: number, overrides: Partial<JobSeed> = {}): Promise<JobSeed[]> {
  const seeds = Array.from({ length: count }, (_, index) => seedOf({ createdAtMs: BASE_MS + index, ...overrides }));
  for (const seed of seeds) await core.store.create(seed);
  return seeds;
}

async function idsOf(core: Core, query: ListQuery): Promise<string[]> {
  return (await core.store.list(query)).jobs.map((job) => job.seed.id);
}

/** Reads all pages, calling back between them. */
async function readPages(core: Core, query: ListQuery, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let after: ListQuery['after'];
  for (;;) {
    const page = await core.store.list({ ...query, ...(after && { after }) });
    ids.push(...page.jobs.map((job) => job.seed.id));
    const last = page.jobs.at(-1)?.seed;
    if (!page.hasMore || !last) return ids;
    after = { createdAtMs: last.createdAtMs, id: last.id };
    await between();
  }
}

describe.each(PLACES)('listing jobs on $name', (place) => {
  const core = useCore(place);

  it('nothing is listed where nothing was created', async () => {
    expect(await core().store.list({ limit: 5 })).toEqual({ jobs: [], totalCount: 0, hasMore: false });
  });

  it('the newest job comes first, and the total counts all pages', async () => {
    const seeds = await fill(core(), 5);
    const page = await core().store.list({ limit: 2 });
    expect(page.jobs.map((job) => job.seed.id)).toEqual([seeds[4]?.id, seeds[3]?.id]);
    expect(page).toMatchObject({ totalCount: 5, hasMore: true });
  });

  it('an owner sees its own jobs, the operator everybody’s', async () => {
    const [mine] = await fill(core(), 1, { principal: 'alice' });
    const [theirs] = await fill(core(), 1, { principal: 'bob', createdAtMs: BASE_MS + 9 });
    expect(await idsOf(core(), { principal: 'alice', limit: 5 })).toEqual([mine?.id]);
    expect(await idsOf(core(), { principal: 'carol', limit: 5 })).toEqual([]);
    expect(await idsOf(core(), { limit: 5 })).toEqual([theirs?.id, mine?.id]);
  });

  it('states and tool narrow a listing and its total', async () => {
    const [a, b, c] = await fill(core(), 3);
    const [other] = await fill(core(), 1, { tool: 'review', createdAtMs: BASE_MS + 9 });
    if (a) await core().store.end(a.id, completed());
    if (b) await core().store.end(b.id, cancelled());
    expect(await idsOf(core(), { states: ['waiting'], limit: 5 })).toEqual([other?.id, c?.id]);
    expect(await idsOf(core(), { states: ['completed', 'cancelled'], limit: 5 })).toEqual([b?.id, a?.id]);
    expect(await idsOf(core(), { states: [], limit: 5 })).toEqual([]);
    expect(await core().store.list({ tool: 'review', limit: 5 })).toMatchObject({ totalCount: 1, hasMore: false });
  });

  it('pages neither repeat nor miss a job while others are added', async () => {
    const seeds = await fill(core(), 10);
    const ids = await readPages(core(), { limit: 3 }, () => fill(core(), 2, { createdAtMs: BASE_MS + 100 }));
    expect(ids).toEqual(seeds.map((seed) => seed.id).reverse());
  });

  it('pages neither repeat nor miss jobs that were created in the same millisecond', async () => {
    const seeds = await fill(core(), 9, { createdAtMs: BASE_MS });
    const ids = await readPages(core(), { limit: 2 }, async () => undefined);
    expect(ids).toHaveLength(9);
    expect(new Set(ids)).toEqual(new Set(seeds.map((seed) => seed.id)));
  });

  it('a page that is exactly full says that there is no more', async () => {
    await fill(core(), 4);
    expect(await core().store.list({ limit: 4 })).toMatchObject({ hasMore: false, totalCount: 4 });
  });

  it('a job that expired is neither listed nor counted', async () => {
    const [gone, kept] = await fill(core(), 2);
    if (gone) await core().forget(gone.id);
    for (const query of [{ limit: 5 }, { principal: 'alice', limit: 5 }]) {
      expect(await core().store.list(query)).toMatchObject({ jobs: [{ seed: kept }], totalCount: 1 });
    }
  });
});
