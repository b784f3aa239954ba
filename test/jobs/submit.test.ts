/** Accepting a job: nothing half-made, nothing twice, and nothing accepted that was not stored. */
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/core/errors.js';
import { newJobId } from '../../src/core/ids.js';
import { NO_ABILITIES } from '../../src/core/input.js';
import { RECORD_VERSION } from '../../src/core/job.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { setup } from './setup.js';

const request = { principal: 'alice', args: { word: 'hello' }, allowedFolders: ['/srv'] };

describe('submitting a job', () => {
  it('an accepted job waits in its queue with its arguments parsed and its defaults filled in', async () => {
    const { core, jobs, contract } = setup(1_234);
    const { id, existing } = await jobs.submit(contract, request);
    expect(existing).toBe(false);
    const seed = {
      v: RECORD_VERSION,
      id,
      tool: 'echo',
      queue: 'analysis',
      principal: 'alice',
      args: { word: 'hello', times: 1 },
      allowedFolders: ['/srv'],
      createdAtMs: 1_234,
    };
    expect(await core.store.get(id)).toMatchObject({ seed, state: 'waiting' });
    expect(await core.queue.position(id, 'analysis')).toBe(1);
  });

  it('is refused where too many are unfinished, with how long to wait in words and for programs', async () => {
    const { jobs, contract } = setup(undefined, { jobsPerPrincipal: 1 });
    await jobs.submit(contract, request);
    const refused = await jobs.submit(contract, request).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'overloaded', retryable: true, details: { limit: 'caller' } });
    const { message, details } = refused as AppError;
    const seconds = Number(details?.retry_after_seconds);
    expect(seconds).toBeGreaterThanOrEqual(15);
    expect(message).toContain(`Nothing was accepted; try again in ${seconds} seconds, or cancel some`);
    await expect(jobs.submit(contract, { ...request, principal: 'bob' })).resolves.toMatchObject({ existing: false });
  });

  it('is refused with arguments larger than a job may have, before they are looked at further', async () => {
    const { core, jobs, contract } = setup();
    const submission = jobs.submit(contract, { ...request, args: { word: 'é'.repeat(8 * 1024 * 1024) } });
    await expect(submission).rejects.toMatchObject({ code: 'arguments_too_large', retryable: false });
    expect(core.memory.jobs.size).toBe(0);
  });

  it.each([
    ['a missing argument', {}, /word/],
    ['an argument of the wrong type', { word: 7 }, /word/],
    ['an argument out of bounds', { word: '' }, /word/],
    ['no object at all', 'hello', /arguments/],
    ['two faults at once', { word: 7, times: 'often' }, /word.*times/s],
  ])('%s creates no job and is named', async (_, args, named) => {
    const { core, jobs, contract } = setup();
    const submission = jobs.submit(contract, { ...request, args });
    await expect(submission).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(named),
    });
    expect(core.memory.jobs.size).toBe(0);
    expect((await core.queue.counts('analysis')).waiting).toBe(0);
  });

  it('an unknown argument is refused with the nearest known one', async () => {
    const { core, jobs, contract } = setup();
    const submission = jobs.submit(contract, { ...request, args: { word: 'hello', tims: 2 } });
    await expect(submission).rejects.toThrow('unknown argument "tims" (did you mean times?)');
    expect(core.memory.jobs.size).toBe(0);
  });

  it('the same key and arguments lead to the first job, whatever the order of the arguments', async () => {
    const { core, jobs, contract } = setup();
    const first = await jobs.submit(contract, { ...request, args: { word: 'a', times: 2 }, idempotencyKey: 'k' });
    const again = await jobs.submit(contract, { ...request, args: { times: 2, word: 'a' }, idempotencyKey: 'k' });
    expect(again).toEqual({ id: first.id, existing: true });
    expect((await core.queue.counts('analysis')).waiting).toBe(1);
  });

  it('an argument left to its default is the same as the default itself', async () => {
    const { jobs, contract } = setup();
    const first = await jobs.submit(contract, { ...request, args: { word: 'a' }, idempotencyKey: 'k' });
    const again = await jobs.submit(contract, { ...request, args: { word: 'a', times: 1 }, idempotencyKey: 'k' });
    expect(again.id).toBe(first.id);
  });

  it('the same key with other arguments or another tool is a conflict', async () => {
    const { jobs, contract } = setup();
    await jobs.submit(contract, { ...request, idempotencyKey: 'k' });
    const other = jobs.submit(contract, { ...request, args: { word: 'other' }, idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' });
    const otherTool = jobs.submit({ ...contract, name: 'shout' }, { ...request, idempotencyKey: 'k' });
    await expect(otherTool).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });

  it('the same key of somebody else is a job of its own', async () => {
    const { jobs, contract } = setup();
    const mine = await jobs.submit(contract, { ...request, idempotencyKey: 'k' });
    const theirs = await jobs.submit(contract, { ...request, principal: 'bob', idempotencyKey: 'k' });
    expect(theirs).toMatchObject({ existing: false });
    expect(theirs.id).not.toBe(mine.id);
  });

  it('of many submissions with one key at once, all name one job and it is queued once', async () => {
    const { core, jobs, contract } = setup();
    const keyed = { ...request, idempotencyKey: 'k' };
    const submissions = await Promise.all(Array.from({ length: 20 }, () => jobs.submit(contract, keyed)));
    expect(new Set(submissions.map((submission) => submission.id)).size).toBe(1);
    expect(submissions.filter((submission) => !submission.existing)).toHaveLength(1);
    expect((await core.queue.counts('analysis')).waiting).toBe(1);
  });

  it('a job that was stored but never queued is queued when its key comes again', async () => {
    const { core, jobs, contract, submit } = setup();
    const id = await submit({ idempotencyKey: 'k' });
    await core.queue.remove(id, 'analysis');
    await jobs.submit(contract, { ...request, idempotencyKey: 'k' });
    expect(await core.queue.position(id, 'analysis')).toBe(1);
  });

  it('a job that was stored but never queued is queued when whoever goes on with its call nudges it', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.queue.remove(id, 'analysis');
    await expect(jobs.nudge(id, 'bob')).rejects.toMatchObject({ code: 'job_not_found' });
    for (const _ of [1, 2]) await jobs.nudge(id, 'alice');
    expect((await core.queue.counts('analysis')).waiting).toBe(1);
    await jobs.cancel(id, 'alice', 'no');
    await jobs.nudge(id, 'alice');
    expect((await core.queue.counts('analysis')).waiting).toBe(0);
  });

  it('a job that has ended is not queued again when its key comes again', async () => {
    const { core, jobs, contract, submit } = setup();
    const id = await submit({ idempotencyKey: 'k' });
    await jobs.cancel(id, 'alice', 'no');
    expect(await jobs.submit(contract, { ...request, idempotencyKey: 'k' })).toEqual({ id, existing: true });
    expect((await core.queue.counts('analysis')).waiting).toBe(0);
  });

  it('while the queue is away nothing is accepted', async () => {
    const { core, submit } = setup();
    core.memory.connection('refusing');
    await expect(submit()).rejects.toMatchObject({ code: 'queue_unavailable', retryable: true });
    expect(core.memory.jobs.size).toBe(0);
  });
});

describe('running an ended job again', () => {
  it('the new job has the same owner, arguments and folders, and says which it repeats', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.store.end(id, completed());
    const again = await jobs.retry(id, 'alice');
    expect(again.id).not.toBe(id);
    const [first, second] = [await core.store.get(id), await core.store.get(again.id)];
    expect(second?.seed).toMatchObject({
      ...first?.seed,
      id: again.id,
      createdAtMs: second?.seed.createdAtMs,
      retryOf: id,
    });
    expect(second).toMatchObject({ state: 'waiting', attempt: 0 });
    expect(await core.queue.position(again.id, 'analysis')).toBeDefined();
  });

  it('a repeat asks nobody, since the call of the first is over', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit({ client: { sampling: true, samplingTools: true, elicitation: true, roots: true } });
    await core.store.end(id, completed());
    const again = await jobs.retry(id, 'alice');
    expect((await core.store.get(again.id))?.seed.client).toEqual(NO_ABILITIES);
  });

  it('the operator’s repeat of somebody’s job stays with its owner', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.store.end(id, completed());
    const again = await jobs.retry(id, undefined);
    expect((await core.store.get(again.id))?.seed.principal).toBe('alice');
  });

  it('a job that has not ended cannot be run again', async () => {
    const { jobs, submit } = setup();
    await expect(jobs.retry(await submit(), 'alice')).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('a part is not run again by itself, since its job would get its outcome once more', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    const share = { from: 0, to: 1, total: 1, outOf: 1, before: '', after: '' };
    const part = seedOf({ partOf: { id, key: 'g/0', group: 'g', share } });
    await core.store.create(part);
    await core.store.end(part.id, completed());
    await expect(jobs.retry(part.id, undefined)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: `Job ${part.id} is a part of job ${id}; run that one again.`,
    });
  });

  it('a job that is unknown or somebody else’s cannot be run again', async () => {
    const { core, jobs, submit } = setup();
    const id = await submit();
    await core.store.end(id, completed());
    await expect(jobs.retry(id, 'bob')).rejects.toMatchObject({ code: 'job_not_found' });
    await expect(jobs.retry(newJobId(), 'alice')).rejects.toMatchObject({ code: 'job_not_found' });
  });
});
