/** A run that is done while the store refuses: its work is kept, and its worker is not taken for dead. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { until } from '../support/gate.js';
import { scriptHandler } from '../support/scripted-handler.js';
import { setup } from './setup.js';

const away = () => new AppError('queue_unavailable', 'something else was away');

describe('a run whose end cannot be stored', () => {
  it.each([
    ['its result', (run: { answer(o: object): void }) => run.answer({ word: 'kept' }), 'completed'],
    ['its fault', (run: { fail(e: unknown): void }) => run.fail(away()), 'delayed'],
  ] as const)('keeps %s until the store takes it, and is no crash', async (_, finish, state) => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    const run = await script.run(1);
    bench.core.memory.connection('refusing');
    finish(run);
    await until(
      () => bench.logged.map(({ msg }) => msg),
      (seen) => seen.includes('what a run came to cannot be stored yet; trying on'),
      { what: 'a word on the refusal' },
    );
    bench.core.memory.connection('up');
    expect((await job.verdict()).kind).toBe(state === 'completed' ? 'done' : 'delay');
    expect(await bench.record(seed.id)).toMatchObject({ state, attempt: 1, crashes: 0 });
    expect(script.runs).toHaveLength(1);
  });

  it.each(['the worker stops', 'the job is lost'])('is given up when %s', async (why) => {
    const script = scriptHandler();
    const bench = setup({ handler: script.handler });
    const job = bench.deliver(await bench.job());
    const run = await script.run(1);
    bench.core.memory.connection('refusing');
    run.answer({ word: 'lost' });
    await until(
      () => bench.logged.length,
      (lines) => lines > 0,
      { what: 'a word on the refusal' },
    );
    if (why === 'the worker stops') bench.shutDown();
    else job.lose();
    expect((await job.verdict()).kind).toBe('delay');
  });
});
