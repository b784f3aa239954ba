/** What every step journal must do: keep the first value of a step, for as long as the job is unfinished. */
import { describe, expect, it } from 'vitest';
import type { JobSeed } from '../../src/core/job.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { PLACES, useCore } from '../support/places.js';

describe.each(PLACES)('the step journal on $name', (place) => {
  const core = useCore(place);
  const running = async (): Promise<JobSeed> => {
    const seed = seedOf();
    await core().store.create(seed);
    await core().store.begin(seed, { workerId: 'w1', run: 'r1' });
    return seed;
  };

  it('a job without steps has an empty journal', async () => {
    expect(await core().journal.read((await running()).id)).toEqual(new Map());
  });

  it('values of every JSON shape come back as they went', async () => {
    const { id } = await running();
    const values = { object: { a: [1, null] }, text: 'ü\n', empty: '', no: false, zero: 0, nothing: null };
    for (const [step, value] of Object.entries(values)) {
      expect(await core().journal.write(id, 'r1', step, value)).toBe('written');
    }
    expect(await core().journal.read(id)).toEqual(new Map(Object.entries(values)));
  });

  it('the first value of a step stands', async () => {
    const { id } = await running();
    await core().journal.write(id, 'r1', 'a', 1);
    expect(await core().journal.write(id, 'r1', 'a', 2)).toBe('written');
    expect(await core().journal.read(id)).toEqual(new Map([['a', 1]]));
  });

  it('a later run finds the steps of an earlier one and adds to them', async () => {
    const seed = await running();
    await core().journal.write(seed.id, 'r1', 'a', 1);
    await core().store.begin(seed, { workerId: 'w2', run: 'r2' });
    await core().journal.write(seed.id, 'r2', 'b', 2);
    expect(await core().journal.write(seed.id, 'r1', 'c', 3)).toBe('superseded');
    expect([...(await core().journal.read(seed.id)).keys()].sort()).toEqual(['a', 'b']);
  });

  it('nothing is journaled for a job that has ended or is not there', async () => {
    const { id } = await running();
    await core().store.end(id, completed());
    expect(await core().journal.write(id, 'r1', 'a', 1)).toBe('ended');
    expect(await core().journal.write(seedOf().id, 'r1', 'a', 1)).toBe('ended');
    expect((await core().journal.read(id)).size).toBe(0);
  });
});
