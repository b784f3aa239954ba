/** Looking at jobs: what an owner sees, and that nobody learns of others' jobs. */
import { describe, expect, it } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import { completed } from '../support/job-seeds.js';
import { setup } from './setup.js';

describe('inspecting a job', () => {
  it('a waiting job has a position', async () => {
    const { jobs, submit } = setup();
    const [first, second] = [await submit(), await submit()];
    expect(await jobs.inspect(first, 'alice')).toMatchObject({ position: 1, record: { state: 'waiting' } });
    expect(await jobs.inspect(second, 'alice')).toMatchObject({ position: 2 });
  });

  it('of several jobs those that wait have a position', async () => {
    const { jobs, submit, begin } = setup();
    const [first, second, third] = [await submit(), await submit(), await submit()];
    await begin(first);
    const { jobs: records } = await jobs.list({ principal: 'alice', limit: 10 });
    const positions = await jobs.positions(records);
    expect([first, second, third].map((id) => positions.get(id))).toEqual([undefined, 2, 3]);
  });

  it('an active job has neither position nor outcome', async () => {
    const { jobs, submit, begin } = setup();
    const id = await submit();
    await begin(id);
    expect(Object.keys(await jobs.inspect(id, 'alice'))).toEqual(['record']);
  });

  it('an ended job has its outcome', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.store.end(id, completed('hello'));
    const view = await jobs.inspect(id, 'alice');
    expect(view.outcome).toEqual(completed('hello'));
    expect(view).not.toHaveProperty('position');
  });

  it('an unknown, a malformed and somebody else’s id are refused in the same words', async () => {
    const { jobs, submit } = setup();
    const theirs = await submit({ principal: 'bob' });
    const refusals = await Promise.all(
      [theirs, newJobId(), 'nonsense'].map((id) =>
        jobs.inspect(id, 'alice').then(
          () => 'seen',
          (error: Error & { code?: string }) => `${error.code}: ${error.message.replace(id, 'ID')}`,
        ),
      ),
    );
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain('job_not_found');
  });

  it('a very long id is not echoed in full', async () => {
    const { jobs } = setup();
    const error = await jobs.inspect('x'.repeat(10_000), 'alice').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'job_not_found' });
    expect(String(error).length).toBeLessThan(400);
  });

  it('the operator sees everybody’s jobs', async () => {
    const { jobs, submit } = setup();
    const id = await submit({ principal: 'bob' });
    expect((await jobs.inspect(id, undefined)).record.seed.principal).toBe('bob');
    expect((await jobs.list({ limit: 5 })).totalCount).toBe(1);
    expect((await jobs.list({ principal: 'alice', limit: 5 })).totalCount).toBe(0);
  });
});
