/** What the claims on folders must do: one living job a folder, with all above and below it. */
import { describe, expect, it } from 'vitest';
import type { JobSeed } from '../../src/core/job.js';
import { cancelled, completed, failed, seedOf } from '../support/job-seeds.js';
import { PLACES, useCore } from '../support/places.js';

describe.each(PLACES)('the claims on folders on $name', (place) => {
  const core = useCore(place);
  const running = async (): Promise<JobSeed> => {
    const seed = seedOf();
    await core().store.create(seed);
    await core().store.begin(seed, { workerId: 'w1', run: 'r1' });
    return seed;
  };
  const claim = ({ id }: JobSeed, folder: string, run = 'r1') => core().folders.claim(id, run, folder);
  const HELD = { kind: 'held' };

  it('a folder has one job, and the next is told which', async () => {
    const [first, second] = [await running(), await running()];
    expect(await claim(first, '/srv/code')).toEqual(HELD);
    expect(await claim(second, '/srv/code')).toEqual({ kind: 'taken', by: first.id });
    expect(await claim(first, '/srv/code')).toEqual(HELD);
  });

  it('what lies in a claimed folder or around it is taken too, what lies beside it is not', async () => {
    const [first, second] = [await running(), await running()];
    await claim(first, '/srv/code');
    for (const folder of ['/srv/code/inner', '/srv/code/a/b', '/srv', '/'])
      expect([folder, await claim(second, folder)]).toEqual([folder, { kind: 'taken', by: first.id }]);
    for (const folder of ['/srv/codec', '/srv/other', '/srv/code-2/inner'])
      expect([folder, await claim(second, folder)]).toEqual([folder, HELD]);
  });

  it('the folder at the top holds every other', async () => {
    const [first, second] = [await running(), await running()];
    await claim(first, '/');
    expect(await claim(second, '/srv')).toEqual({ kind: 'taken', by: first.id });
  });

  it.each([completed(), failed(), cancelled()])('a job that is $state holds nothing', async (outcome) => {
    const [first, second] = [await running(), await running()];
    await claim(first, '/srv/code');
    await core().store.end(first.id, outcome);
    expect(await claim(second, '/srv')).toEqual(HELD);
    expect(await claim(first, '/srv/code')).toEqual({ kind: 'ended' });
  });

  it('a job that is forgotten holds nothing', async () => {
    const [first, second] = [await running(), await running()];
    await claim(first, '/srv/code');
    await core().forget(first.id);
    expect(await claim(second, '/srv/code')).toEqual(HELD);
  });

  it('a job keeps its folder while it is parked, and a later run of it finds it held', async () => {
    const [first, second] = [await running(), await running()];
    await claim(first, '/srv/code');
    await core().store.leave(first.id, 'r1', 'parked');
    expect(await claim(second, '/srv/code')).toEqual({ kind: 'taken', by: first.id });
    await core().store.begin(first, { workerId: 'w2', run: 'r2' });
    expect(await claim(first, '/srv/code', 'r2')).toEqual(HELD);
    expect(await claim(first, '/srv/code', 'r1')).toEqual({ kind: 'superseded' });
  });
});
