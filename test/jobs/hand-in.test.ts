/** Handing in what a job waits for: by its owner, once, and whatever races with it. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import type { JobId } from '../../src/core/ids.js';
import type { Question } from '../../src/core/input.js';
import { draw } from '../secrets/fake-secrets.js';
import { cancelled, completed } from '../support/job-seeds.js';
import { type Setup, setup } from './setup.js';

const handed = (key: string): Question => ({
  key,
  kind: 'submission',
  request: { output: { word: `preliminary ${key}` } },
  fingerprint: key,
  deadlineMs: Date.now() + 60_000,
});

/** A job of alice that is parked on a hand-off, as its worker leaves it. */
async function parked(on: Setup, key = 'h'): Promise<JobId> {
  const id = await on.submit();
  await on.begin(id);
  await on.core.mailbox.ask(id, 'r1', [handed(key)]);
  await on.core.store.leave(id, 'r1', 'parked');
  return id;
}

const replyOf = async ({ core }: Setup, id: JobId) => (await core.mailbox.read(id))[0]?.reply;

describe('handing in', () => {
  it('is taken once; the second is told that there was one, and changes nothing', async () => {
    const on = setup();
    const id = await parked(on);
    expect(await on.jobs.handIn(id, 'alice', 1)).toMatchObject({ kind: 'taken', record: { handOff: { key: 'h' } } });
    expect(await on.jobs.handIn(id, 'alice', 2)).toMatchObject({ kind: 'already' });
    expect(await replyOf(on, id)).toEqual({ kind: 'answered', value: 1 });
  });

  it('to a foreign job is told like one that does not exist', async () => {
    const on = setup();
    const id = await parked(on);
    const foreign = await on.jobs.handIn(id, 'mallory', 1).catch((error: unknown) => error);
    const unknown = await on.jobs.handIn('job_x', 'mallory', 1).catch((error: unknown) => error);
    expect([foreign, unknown]).toMatchObject([{ code: 'job_not_found' }, { code: 'job_not_found' }]);
    expect(await replyOf(on, id)).toBeUndefined();
  });

  it('after the end is told as already made if it was, and as not awaited if it was not', async () => {
    const on = setup();
    const [made, unmade] = [await parked(on), await parked(on)];
    await on.jobs.handIn(made, 'alice', 1);
    await on.core.store.end(made, completed());
    await on.core.store.end(unmade, cancelled());
    expect(await on.jobs.handIn(made, 'alice', 2)).toMatchObject({ kind: 'already', record: { state: 'completed' } });
    expect(await on.jobs.handIn(unmade, 'alice', 2)).toMatchObject({
      kind: 'not_awaited',
      record: { state: 'cancelled', handOff: { state: 'awaited' } },
    });
  });

  it('to a job that waits for nothing of the kind is not awaited', async () => {
    const on = setup();
    const id = await on.submit();
    expect(await on.jobs.handIn(id, 'alice', 1)).toMatchObject({ kind: 'not_awaited', record: { state: 'waiting' } });
  });

  it('stores nothing secret', async () => {
    const on = setup();
    const id = await parked(on);
    const secret = `ghp_${draw('hand-in', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789', 36)}`;
    await on.jobs.handIn(id, 'alice', { findings: [{ quote: `token = "${secret}"`, line: 1 }] });
    const reply = await replyOf(on, id);
    expect(JSON.stringify(reply)).not.toContain(secret);
    const quote = expect.stringMatching(/^token = "\[REDACTED:[^\]]+\]"$/);
    expect(reply).toEqual({ kind: 'answered', value: { findings: [{ quote, line: 1 }] } });
  });

  it('stores nothing at all when it could not be searched for secrets, and waits on', async () => {
    const on = setup();
    const id = await parked(on);
    on.core.redactor.redactJson = () => Promise.reject(new AppError('redaction_failed', 'it took too long'));
    await expect(on.jobs.handIn(id, 'alice', 1)).rejects.toMatchObject({ code: 'redaction_failed' });
    expect(await replyOf(on, id)).toBeUndefined();
    expect((await on.core.store.get(id))?.handOff?.state).toBe('awaited');
  });

  it('races with a cancel to one of two ends, and is told which', async () => {
    for (let round = 0; round < 20; round += 1) {
      const on = setup();
      const id = await parked(on);
      const both = [() => on.jobs.handIn(id, 'alice', 1), () => on.jobs.cancel(id, 'alice', 'no longer')];
      const started = (round % 2 === 0 ? both : both.reverse()).map((act) => act());
      const [handing] = await Promise.all(round % 2 === 0 ? started : started.reverse());
      const record = await on.core.store.get(id);
      expect(record?.state).toBe('cancelled');
      const kind = record?.handOff?.state === 'submitted' ? 'taken' : 'not_awaited';
      expect(handing).toMatchObject({ kind });
    }
  });

  it('races with the deadline to one of two ends', async () => {
    const ends = { lapsed: 'not_awaited', submitted: 'taken' } as const;
    const seen = new Set<string>();
    for (let turns = 0; turns < 12; turns += 1) {
      const on = setup();
      const id = await parked(on);
      const handing = on.jobs.handIn(id, 'alice', 1);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await on.jobs.answer(id, 'h', { kind: 'timed_out' });
      const state = (await on.core.store.get(id))?.handOff?.state;
      seen.add(String(state));
      expect((await handing).kind).toBe(ends[state === 'lapsed' ? 'lapsed' : 'submitted']);
    }
    expect([...seen].sort()).toEqual(['lapsed', 'submitted']);
  });
});

describe('looking at a parked job', () => {
  it('shows what was handed over and until when', async () => {
    const on = setup();
    const id = await parked(on);
    const view = await on.jobs.inspect(id, 'alice');
    expect(view.handedOver).toEqual({
      preliminary: { word: 'preliminary h' },
      deadlineMs: expect.any(Number),
    });
  });

  it('wakes it if it has its submission, since whoever stored that may have died before', async () => {
    const on = setup();
    const id = await parked(on);
    const { seed } = { ...(await on.core.store.get(id)) };
    if (!seed) throw new Error('the job is gone');
    const consumer = on.core.queue.consumer({
      queue: 'analysis',
      concurrency: 1,
      workerId: 'w1',
      run: async () => ({ kind: 'park', untilMs: Date.now() + 60_000, isReady: async () => false }),
    });
    await consumer.start();
    const delayed = async () => (await on.core.queue.counts('analysis')).delayed;
    while ((await delayed()) === 0) await new Promise((resolve) => setImmediate(resolve));
    await consumer.quiet();
    await on.jobs.inspect(id, 'alice');
    expect(await delayed()).toBe(1);
    await on.core.mailbox.answer(id, 'h', { kind: 'answered', value: 1 });
    expect(await on.jobs.inspect(id, 'alice')).not.toHaveProperty('handedOver');
    expect(await delayed()).toBe(0);
    await consumer.stop(1_000);
  });
});
