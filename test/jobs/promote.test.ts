/** Letting a job be tried at once: only one that waits for its time, and only for who may see it. */
import { expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { faultOf } from '../support/job-seeds.js';
import { setup } from './setup.js';

it('a job between two attempts is promoted, any other is left where it is', async () => {
  const { core, jobs, submit, begin } = setup();
  const id = await submit();
  expect(await jobs.promote(id, 'alice')).toEqual({ kind: 'not_delayed', id, state: 'waiting' });
  const seed = await begin(id);
  const fault = faultOf(1, new AppError('handler_failed', 'not this time', { retryable: true }));
  await core.store.leave(id, 'r1', 'delayed', { fault });
  await core.queue.remove(id, seed.queue);
  expect(await jobs.promote(id, 'alice')).toEqual({ kind: 'not_delayed', id, state: 'delayed' });
  await expect(jobs.promote(id, 'bob')).rejects.toMatchObject({ code: 'job_not_found' });
});
