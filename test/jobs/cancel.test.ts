/** Cancelling: in every state, by whoever may, and never lost. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { newJobId } from '../../src/core/ids.js';
import type { Wake } from '../../src/core/ports.js';
import { completed } from '../support/job-seeds.js';
import { setup } from './setup.js';

describe('cancelling a job', () => {
  it('a waiting job leaves the queue, and its record says who wished it and why', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    expect(await jobs.cancel(id, 'alice', 'changed my mind')).toEqual({ kind: 'cancelled', id });
    expect(await core.store.outcome(id)).toEqual({ state: 'cancelled', reason: 'changed my mind' });
    expect(await core.queue.counts('analysis')).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('the worker of an active job hears of it', async () => {
    const { core, jobs, submit, begin } = setup();
    const id = await submit();
    await begin(id);
    const heard: Wake[] = [];
    await core.log.onWake(id, (wake) => heard.push(wake));
    await jobs.cancel(id, 'alice', 'no');
    expect(heard).toEqual(['ended']);
    expect(await core.store.leave(id, 'r1', 'waiting')).toBe('ended');
  });

  it.each(['waiting', 'delayed', 'parked'] as const)('a job left %s by its worker is cancelled at once', async (to) => {
    const { core, jobs, submit, begin } = setup();
    const id = await submit();
    await begin(id);
    await core.store.leave(id, 'r1', to);
    expect(await jobs.cancel(id, 'alice', 'no')).toMatchObject({ kind: 'cancelled' });
    const seed = (await core.store.get(id))?.seed;
    expect(seed && (await core.store.begin(seed, { workerId: 'w2', run: 'r2' }))).toMatchObject({ kind: 'ended' });
  });

  it('a job that has ended keeps its outcome, and the answer names it', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.store.end(id, completed());
    expect(await jobs.cancel(id, 'alice', 'too late')).toEqual({ kind: 'already_ended', id, state: 'completed' });
    expect(await core.store.outcome(id)).toEqual(completed());
  });

  it('a job that cannot be taken out of the queue is cancelled all the same', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    core.queue.remove = async () => Promise.reject(new AppError('queue_unavailable', 'away again'));
    expect(await jobs.cancel(id, 'alice', 'no')).toEqual({ kind: 'cancelled', id });
    expect(await core.store.outcome(id)).toEqual({ state: 'cancelled', reason: 'no' });
  });

  it('cancelling twice changes nothing', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await jobs.cancel(id, 'alice', 'first');
    expect(await jobs.cancel(id, 'alice', 'second')).toEqual({ kind: 'already_ended', id, state: 'cancelled' });
    expect(await core.store.outcome(id)).toMatchObject({ reason: 'first' });
  });

  it('somebody else’s job is not found and goes on; the operator may cancel it', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await expect(jobs.cancel(id, 'bob', 'no')).rejects.toMatchObject({ code: 'job_not_found' });
    expect((await core.store.get(id))?.state).toBe('waiting');
    expect(await jobs.cancel(id, undefined, 'no')).toMatchObject({ kind: 'cancelled' });
  });

  it.each(['nonsense', '', 'job_', newJobId()])('a job called %j is not found', async (id) => {
    const { jobs } = setup();
    await expect(jobs.cancel(id, 'alice', 'no')).rejects.toMatchObject({ code: 'job_not_found' });
  });
});
