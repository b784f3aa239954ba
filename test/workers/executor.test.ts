/** One job through the executor: how attempts end, what becomes of the job, and what a run that lost it may do. */
import { describe, expect, it } from 'vitest';
import { AbortReason } from '../../src/core/abort.js';
import { AppError } from '../../src/core/errors.js';
import { RECORD_VERSION } from '../../src/core/job.js';
import { until } from '../support/gate.js';
import { cancelled, seedOf } from '../support/job-seeds.js';
import { scriptHandler } from '../support/scripted-handler.js';
import { setup } from './setup.js';

const away = () => new AppError('queue_unavailable', 'something else was away');

describe('an attempt', () => {
  it('that answers completes the job with its parsed result', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job({ args: { word: 'hello' } });
    const job = bench.deliver(seed);
    const run = await script.run(1);
    expect(run.input).toEqual({ word: 'hello', times: 1 });
    expect(run.context).toMatchObject({
      jobId: seed.id,
      principal: 'alice',
      attempt: 1,
      allowedFolders: ['/srv/code'],
    });
    expect(await bench.record(seed.id)).toMatchObject({ state: 'active', workerId: 'w1' });
    run.answer({ word: 'hello', more: 'than the schema has' });
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(await bench.outcome(seed.id)).toEqual({ state: 'completed', result: { word: 'hello' } });
    expect((await bench.events(seed.id)).at(-1)).toEqual({ type: 'outcome', state: 'completed' });
    // The news of its own outcome is no cancel to it.
    expect(run.context.signal.aborted).toBe(false);
  });

  it('that fails for a while is tried again, later each time but within the hour, and may then succeed', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler, limits: { backoffMs: 2_400_000 } });
    const seed = await bench.job();
    for (const [attempt, waitMs] of [
      [1, 2_400_000],
      [2, 3_600_000],
    ] as const) {
      const job = bench.deliver(seed);
      const run = await script.run(attempt);
      expect(run.context.attempt).toBe(attempt);
      const failedMs = Date.now();
      run.fail(away());
      const verdict = await job.verdict();
      const untilMs = verdict.kind === 'delay' ? verdict.untilMs : 0;
      expect(untilMs - waitMs).toBeGreaterThanOrEqual(failedMs);
      expect(untilMs - waitMs).toBeLessThanOrEqual(Date.now());
      expect(await bench.record(seed.id)).toMatchObject({ state: 'delayed', attempt });
    }
    const last = bench.deliver(seed);
    (await script.run(3)).answer({ word: 'at last' });
    expect(await last.verdict()).toEqual({ kind: 'done' });
    const record = await bench.record(seed.id);
    expect(record).toMatchObject({ state: 'completed', attempt: 3, crashes: 0 });
    expect(record?.faults.map((fault) => [fault.attempt, fault.error.code])).toEqual([
      [1, 'queue_unavailable'],
      [2, 'queue_unavailable'],
    ]);
  });

  it('that fails for good ends the job at once', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    (await script.run(1)).fail(new AppError('path_not_found', 'path: "x" does not exist.'));
    expect(await job.verdict()).toEqual({ kind: 'failed', message: 'path: "x" does not exist.' });
    expect(await bench.outcome(seed.id)).toEqual({
      state: 'failed',
      error: { code: 'path_not_found', message: 'path: "x" does not exist.', retryable: false },
    });
  });

  it.each([new Error('password is 1234'), 'a thrown text', undefined])(
    'that throws something of its own (%s) fails the job without showing it, and the log has it',
    async (thrown) => {
      const script = scriptHandler();
      const bench = setup({ handler: script.handler });
      const seed = await bench.job();
      const job = bench.deliver(seed);
      (await script.run(1)).fail(thrown);
      expect((await job.verdict()).kind).toBe('failed');
      const outcome = await bench.outcome(seed.id);
      expect(outcome).toMatchObject({ state: 'failed', error: { code: 'handler_failed' } });
      expect(JSON.stringify(outcome)).not.toContain('1234');
      expect(JSON.stringify(bench.logged)).toContain(thrown instanceof Error ? thrown.message : String(thrown));
    },
  );

  it('that is the last one allowed fails the job with its own error', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler, limits: { attempts: 2 } });
    const seed = await bench.job();
    const first = bench.deliver(seed);
    (await script.run(1)).fail(away());
    expect((await first.verdict()).kind).toBe('delay');
    const second = bench.deliver(seed);
    (await script.run(2)).fail(away());
    expect((await second.verdict()).kind).toBe('failed');
    expect(await bench.outcome(seed.id)).toMatchObject({ error: { code: 'queue_unavailable' } });
    expect(await bench.record(seed.id)).toMatchObject({ attempt: 2 });
  });

  it('that takes too long is aborted and fails the job', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler, limits: { timeoutMs: 50 } });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const { context } = await script.run(1);
    expect((await job.verdict()).kind).toBe('failed');
    expect(context.signal.reason).toMatchObject({ kind: 'timed_out' });
    expect(await bench.outcome(seed.id)).toMatchObject({ state: 'failed', error: { code: 'timed_out' } });
  });

  it('whose result does not fit the schema fails the job, and says whose fault it is', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    (await script.run(1)).answer({ sentence: 'hello' });
    expect((await job.verdict()).kind).toBe('failed');
    expect(await bench.outcome(seed.id)).toMatchObject({
      error: { code: 'internal', message: expect.stringContaining('does not fit its own schema') },
    });
  });

  it('whose result is too large to store fails the job, and says so', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler, retention: { resultBytes: 2_000 } });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    (await script.run(1)).answer({ word: 'x'.repeat(3_000) });
    await job.verdict();
    expect(await bench.outcome(seed.id)).toMatchObject({ state: 'failed', error: { code: 'result_too_large' } });
  });
});

describe('a job that is cancelled', () => {
  it('while it runs aborts its handler, and stays cancelled', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const { context } = await script.run(1);
    await bench.core.store.end(seed.id, cancelled());
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(context.signal.reason).toBeInstanceOf(AbortReason);
    expect(context.signal.reason).toMatchObject({ kind: 'cancelled' });
    expect(await bench.outcome(seed.id)).toEqual(cancelled());
  });

  it('before it is taken never reaches its handler', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    await bench.core.store.end(seed.id, cancelled());
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'done' });
    expect(script.runs).toHaveLength(0);
  });

  it('between its taking and its handler’s start is aborted all the same', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const { journal, memory } = bench.core;
    // Only what earlier runs left is read.
    memory.journals.set(seed.id, new Map([['step', 1]]));
    const read = journal.read;
    journal.read = async (id) => {
      await bench.core.store.end(id, cancelled());
      return read(id);
    };
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'done' });
    for (const run of script.runs) expect(run.context.signal.reason).toMatchObject({ kind: 'cancelled' });
    expect(await bench.outcome(seed.id)).toEqual(cancelled());
  });

  it('while the wake-up is lost is aborted at the resync', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    await script.run(1);
    const listeners = bench.core.memory.listeners.get(seed.id);
    bench.core.memory.listeners.delete(seed.id);
    await bench.core.store.end(seed.id, cancelled());
    for (const listener of listeners ?? []) listener('resync');
    expect(await job.verdict()).toEqual({ kind: 'done' });
  });

  it('while the wake-up is lost is aborted at the handler’s next write', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const { context } = await script.run(1);
    bench.core.memory.listeners.delete(seed.id);
    await bench.core.store.end(seed.id, cancelled());
    context.progress({ progress: 1 });
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(context.signal.reason).toMatchObject({ kind: 'cancelled' });
  });

  it('whose handler ignores its abort is abandoned, and what the handler says later is discarded', async () => {
    const script = scriptHandler('stubborn');
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const run = await script.run(1);
    await bench.core.store.end(seed.id, cancelled());
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(bench.logged.map((line) => line.msg)).toContain('a handler ignores its abort');
    run.context.progress({ progress: 9 });
    run.answer({ word: 'late' });
    await expect(run.context.step('late', async () => 1)).rejects.toMatchObject({ kind: 'cancelled' });
    expect(await bench.outcome(seed.id)).toEqual(cancelled());
    expect((await bench.events(seed.id)).at(-1)).toEqual({ type: 'outcome', state: 'cancelled' });
  });

  it('as its handler answers keeps whichever outcome came first', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const run = await script.run(1);
    run.answer({ word: 'hello' });
    const ending = await bench.core.store.end(seed.id, cancelled());
    await job.verdict();
    const expected = ending.kind === 'ended' ? 'cancelled' : 'completed';
    expect((await bench.record(seed.id))?.state).toBe(expected);
  });
});

describe('a worker that stops', () => {
  it('hands its job back with the attempt unspent and no fault noted', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const { context } = await script.run(1);
    bench.shutDown();
    expect(await job.verdict()).toEqual({ kind: 'hand_back' });
    expect(context.signal.reason).toMatchObject({ kind: 'shutdown' });
    expect(await bench.record(seed.id)).toMatchObject({ state: 'waiting', attempt: 1, crashes: 0, faults: [] });
    const next = await bench.core.store.begin(seed, { workerId: 'w2', run: 'r2' });
    expect(next).toEqual({ kind: 'run', attempt: 1, crashes: 0 });
  });

  it('does not start a handler any more', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    bench.shutDown();
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'hand_back' });
    expect(script.runs).toHaveLength(0);
  });

  it('lets a job that was cancelled meanwhile rest', async () => {
    const script = scriptHandler('stubborn');
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const run = await script.run(1);
    bench.shutDown();
    await bench.core.store.end(seed.id, cancelled());
    run.answer({ word: 'late' });
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(await bench.outcome(seed.id)).toEqual(cancelled());
  });
});

describe('a run that lost its job', () => {
  it('to another worker stops at its next write and writes nothing', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const { context } = await script.run(1);
    await bench.core.store.begin(seed, { workerId: 'w2', run: 'other' });
    context.progress({ progress: 5 });
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(context.signal.reason).toMatchObject({ kind: 'superseded' });
    expect(await bench.record(seed.id)).toMatchObject({ state: 'active', workerId: 'w2' });
    expect((await bench.events(seed.id)).filter((event) => event.type === 'progress')).toEqual([]);
  });

  it('as the queue says is aborted at once', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const job = bench.deliver(await bench.job());
    const { context } = await script.run(1);
    job.lose();
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(context.signal.reason).toMatchObject({ kind: 'superseded' });
  });

  it.each([
    ['answers', (run: { answer(o: object): void }) => run.answer({ word: 'old' })],
    ['fails', (run: { fail(e: unknown): void }) => run.fail(away())],
  ])('and %s leaves the job to its new holder', async (_, finish) => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const run = await script.run(1);
    await bench.core.store.begin(seed, { workerId: 'w2', run: 'other' });
    finish(run);
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(await bench.record(seed.id)).toMatchObject({
      state: 'active',
      workerId: 'w2',
      faults: [{ error: { code: 'worker_crashed' } }],
    });
  });
});

describe('a job that this worker should not run', () => {
  it('because workers died on it too often is given up, with the reason', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    for (const run of ['a', 'b', 'c', 'd']) await bench.core.store.begin(seed, { workerId: 'w0', run });
    expect((await bench.deliver(seed).verdict()).kind).toBe('failed');
    expect(await bench.outcome(seed.id)).toMatchObject({ error: { code: 'worker_crashed', retryable: false } });
    expect(script.runs).toHaveLength(0);
  });

  it('after three deaths is still tried once more', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    for (const run of ['a', 'b', 'c']) await bench.core.store.begin(seed, { workerId: 'w0', run });
    const job = bench.deliver(seed);
    (await script.run(1)).answer({ word: 'made it' });
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(await bench.record(seed.id)).toMatchObject({ state: 'completed', attempt: 1, crashes: 3 });
  });

  it.each([
    ['written by a newer version', { v: RECORD_VERSION + 1, shape: 'unknown' }],
    ['of a tool it does not know', seedOf({ tool: 'newer_tool' })],
  ])('because it is %s is left alone for others', async (_, seed) => {
    const bench = setup({ handler: scriptHandler().handler });
    const verdict = await bench.deliver(seed).verdict();
    expect(verdict.kind).toBe('delay');
    expect(bench.core.memory.jobs.size).toBe(0);
    expect(bench.core.memory.events.size).toBe(0);
  });

  it.each([{ nonsense: true }, null, 'text', { ...seedOf(), args: 7 }])(
    'because it is unreadable (%j) fails, and where its id is known so does its record',
    async (broken) => {
      const bench = setup({ handler: scriptHandler().handler });
      const seed = await bench.job();
      const delivered = typeof broken === 'object' && broken ? { ...broken, id: seed.id } : broken;
      expect((await bench.deliver(delivered).verdict()).kind).toBe('failed');
      const known = typeof delivered === 'object' && delivered !== null;
      expect(await bench.outcome(seed.id)).toEqual(
        known ? expect.objectContaining({ error: expect.objectContaining({ code: 'unsupported_record' }) }) : undefined,
      );
    },
  );

  it('because the store is away goes back to the queue', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    bench.core.memory.connection('refusing');
    expect((await bench.deliver(seed).verdict()).kind).toBe('delay');
    bench.core.memory.connection('up');
    expect(await bench.record(seed.id)).toMatchObject({ state: 'waiting', attempt: 0 });
    expect(script.runs).toHaveLength(0);
  });
});

describe('every run', () => {
  it('lets go of its listener, however it ends', async () => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const [done, gone] = [await bench.job(), await bench.job()];
    const jobs = [bench.deliver(done), bench.deliver(gone), bench.deliver(seedOf({ tool: 'unknown' }))];
    await script.run(2);
    script.runs[0]?.answer({ word: 'hello' });
    await bench.core.store.end(gone.id, cancelled());
    await Promise.all(jobs.map((job) => job.verdict()));
    await until(
      () => bench.core.memory.listeners.size,
      (size) => size === 0,
      { what: 'no listener' },
    );
  });
});
