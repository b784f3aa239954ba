/** Fanning out: parts of a job run as jobs of their own, their job holds no slot meanwhile, and each outcome counts once. */
import { describe, expect, it } from 'vitest';
import { type JobSeed, waitsFor } from '../../src/core/job.js';
import type { JsonObject } from '../../src/core/json.js';
import { partId, partKey, type Share } from '../../src/core/part.js';
import type { JobConsumer } from '../../src/core/ports.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { createJobs, type Jobs } from '../../src/jobs/jobs.js';
import { createGate, until } from '../support/gate.js';
import { type Bench, setup } from './setup.js';

const share: Share = { from: 10, to: 100, outOf: 100, total: 4, before: 'Did ', after: ' of 4' };
const WORDS = ['a', 'b', 'c', 'd'];

interface FanSetup {
  readonly bench: Bench;
  readonly jobs: Jobs;
  /** How often the job's own handler began. */
  runs(): number;
  consume(concurrency: number): JobConsumer;
}

/** The echo tool fans out for the word `all` and does a part for every other. */
function setupFan(part: (word: string, context: HandlerContext) => Promise<JsonObject>): FanSetup {
  let runs = 0;
  const bench = setup({
    async handler(input, context) {
      const { word } = input as { word: string };
      if (word !== 'all') return (await part(word, context)) as { word: string };
      runs += 1;
      const parts = WORDS.map((each) => ({ word: each }));
      const results = await context.fanOut('words', { tool: 'echo', queue: 'analysis', parts, share });
      return { word: results.map((result) => result.word).join(' ') };
    },
    limits: { attempts: 1 },
  });
  const { store, log, queue, mailbox, ledger, tables, redactor } = bench.core;
  return {
    bench,
    jobs: createJobs({ store, log, queue, mailbox, ledger, tables, redactor, now: Date.now }),
    runs: () => runs,
    consume: (concurrency) => queue.consumer({ queue: 'analysis', concurrency, workerId: 'w1', run: bench.execute }),
  };
}

async function start({ bench }: FanSetup): Promise<JobSeed> {
  const seed = await bench.job({ args: { word: 'all' }, queue: 'analysis' });
  await bench.core.queue.add(seed);
  return seed;
}

const ended = (bench: Bench, seed: JobSeed) => until(() => bench.outcome(seed.id), Boolean, { what: 'the outcome' });

describe('a job that fans out', () => {
  it('gets the results of its parts in order, whatever order they end in', async () => {
    const last = createGate();
    const fan = setupFan(async (word) => {
      if (word === 'a') await last.opened;
      if (word === 'd') last.open();
      return { word: word.toUpperCase() };
    });
    const consumer = fan.consume(2);
    await consumer.start();
    const seed = await start(fan);
    expect(await ended(fan.bench, seed)).toEqual({ state: 'completed', result: { word: 'A B C D' } });
    expect(fan.runs()).toBe(2);
    await consumer.stop(1_000);
  });

  it('needs no slot while its parts run, even on a worker that has one', async () => {
    const fan = setupFan(async (word) => ({ word }));
    const consumer = fan.consume(1);
    await consumer.start();
    expect((await ended(fan.bench, await start(fan)))?.state).toBe('completed');
    await consumer.stop(1_000);
  });

  it('tells the sum of its parts as progress that only rises, and no part is listed', async () => {
    const fan = setupFan(async (word, context) => {
      context.progress({ progress: 1 });
      return { word };
    });
    const consumer = fan.consume(2);
    await consumer.start();
    const seed = await start(fan);
    await ended(fan.bench, seed);
    const events = await fan.bench.events(seed.id);
    const progress = events.flatMap((event) => (event.type === 'progress' ? [event] : []));
    expect(progress.map((event) => event.progress)).toEqual([32.5, 55, 77.5, 100]);
    expect(progress.at(-1)?.message).toBe('Did 4 of 4');
    expect((await fan.jobs.list({ limit: 10 })).totalCount).toBe(1);
    await consumer.stop(1_000);
  });

  it('fails with the error of a part that failed', async () => {
    const fan = setupFan(async (word) => {
      if (word === 'c') throw new Error('broken');
      return { word };
    });
    const consumer = fan.consume(2);
    await consumer.start();
    const outcome = await ended(fan.bench, await start(fan));
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'handler_failed' } });
    await consumer.stop(1_000);
  });

  it('takes its parts along when it is cancelled, running and waiting ones', async () => {
    const began: string[] = [];
    const aborted: string[] = [];
    const fan = setupFan((word, { signal }) => {
      began.push(word);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(word);
          reject(signal.reason);
        });
      });
    });
    const consumer = fan.consume(2);
    await consumer.start();
    const seed = await start(fan);
    await until(
      () => began.length,
      (many) => many === 2,
      { what: 'two parts' },
    );
    await fan.jobs.cancel(seed.id, undefined, 'enough');
    const states = async () =>
      Promise.all(
        WORDS.map(async (_, index) => (await fan.bench.record(partId(seed.id, partKey('words', index))))?.state),
      );
    await until(states, (all) => all.every((state) => state === 'cancelled'), { what: 'ended parts' });
    expect(began).toEqual(['a', 'b']);
    expect(aborted).toEqual(['a', 'b']);
    await consumer.stop(1_000);
  });

  it('is told to wait for its parts, and looks for itself within half a minute', async () => {
    const fan = setupFan(async (word) => ({ word }));
    const seed = await fan.bench.job({ args: { word: 'all' }, queue: 'analysis' });
    const verdict = await fan.bench.deliver(seed).verdict();
    const record = await fan.bench.record(seed.id);
    expect(record && waitsFor(record)).toBe('parts');
    expect(verdict.kind === 'park' && verdict.untilMs - Date.now()).toBeLessThanOrEqual(30_000);
  });

  it('queues again the parts that a dying Redis lost', async () => {
    const fan = setupFan(async (word) => ({ word }));
    const seed = await fan.bench.job({ args: { word: 'all' }, queue: 'analysis' });
    expect((await fan.bench.deliver(seed).verdict()).kind).toBe('park');
    const lost = partId(seed.id, partKey('words', 2));
    await fan.bench.core.queue.remove(lost, 'analysis');
    fan.bench.core.memory.jobs.delete(lost);
    // As when its half minute is over.
    await fan.bench.core.queue.add(seed);
    const consumer = fan.consume(1);
    await consumer.start();
    expect(await ended(fan.bench, seed)).toEqual({ state: 'completed', result: { word: 'a b c d' } });
    await consumer.stop(1_000);
  });

  it('goes on when whoever delivered the last part died before it woke the job', async () => {
    const fan = setupFan(async (word) => ({ word }));
    const seed = await fan.bench.job({ args: { word: 'all' }, queue: 'analysis' });
    expect((await fan.bench.deliver(seed).verdict()).kind).toBe('park');
    const { mailbox } = fan.bench.core;
    const reply = (word: string) => ({ kind: 'answered' as const, value: { state: 'completed', result: { word } } });
    // The outcome of the last part is stored, and nobody was told.
    for (const [index, word] of WORDS.entries()) await mailbox.answer(seed.id, partKey('words', index), reply(word));
    const partSeed = await fan.bench.record(partId(seed.id, partKey('words', 3)));
    expect(partSeed?.state).toBe('waiting');
    // Its run comes again, as the run of a dead worker does, and wakes the job.
    const consumer = fan.consume(1);
    await fan.bench.core.queue.add(seed);
    await consumer.start();
    expect(await ended(fan.bench, seed)).toEqual({ state: 'completed', result: { word: 'a b c d' } });
    await consumer.stop(1_000);
  });
});
