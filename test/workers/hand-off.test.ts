/** A job that is handed over: it waits without a slot with a preliminary result, and goes on with whatever is submitted. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { preliminaryOf } from '../../src/core/hand-off.js';
import type { JobSeed } from '../../src/core/job.js';
import type { JsonValue } from '../../src/core/json.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createJobs } from '../../src/jobs/jobs.js';
import { draw } from '../secrets/fake-secrets.js';
import { until } from '../support/gate.js';
import { type Bench, type BenchOptions, setup } from './setup.js';

interface Handing {
  readonly bench: Bench;
  readonly seed: JobSeed;
  submit(key: string, value: JsonValue): Promise<string>;
  /** Waits until the job is parked with this open, and gives the question. */
  parkedOn(...keys: readonly string[]): Promise<void>;
  ended(): Promise<Record<string, unknown>>;
}

async function setupHanding(
  work: (context: HandlerContext) => Promise<string>,
  options: Omit<BenchOptions, 'handler'> = {},
): Promise<Handing> {
  const handler: Handler = async (_input, context) => ({ word: await work(context) });
  const bench = setup({ handler, ...options });
  const { store, log, queue, mailbox, ledger, tables, redactor } = bench.core;
  const jobs = createJobs({ store, log, queue, mailbox, ledger, tables, redactor, now: Date.now });
  const client = { sampling: true, samplingTools: false, elicitation: false, roots: false };
  const seed = await bench.job({ client });
  await queue.add(seed);
  const consumer = queue.consumer({ queue: 'analysis', concurrency: 1, workerId: 'w1', run: bench.execute });
  await consumer.start();
  onTestFinished(() => consumer.stop(1_000));
  const look = async () => ({
    state: (await bench.record(seed.id))?.state,
    delayed: (await queue.counts('analysis')).delayed,
    open: (await mailbox.read(seed.id)).filter(({ reply }) => !reply).map(({ question }) => question.key),
  });
  return {
    bench,
    seed,
    submit: (key, value) => jobs.answer(seed.id, key, { kind: 'answered', value }),
    async parkedOn(...keys) {
      const wanted = JSON.stringify({ state: 'parked', delayed: 1, open: [...keys] });
      await until(look, (seen) => JSON.stringify(seen) === wanted, { what: `${keys} to be open` });
    },
    async ended() {
      await until(look, ({ state }) => state === 'completed' || state === 'failed', { what: 'the job to end' });
      return { ...(await bench.outcome(seed.id)) };
    },
  };
}

const told = async (context: HandlerContext, key: string, timeoutMs?: number): Promise<string> => {
  const reply = await context.handOff(key, {
    output: { word: `handed over ${key}` },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return reply.kind === 'answered' ? JSON.stringify(reply.value) : reply.kind;
};

describe('a hand-off', () => {
  it('parks the job without a slot, keeps the preliminary result, and hands on what is submitted', async () => {
    const { bench, seed, submit, parkedOn, ended } = await setupHanding((context) => told(context, 'a'));
    await parkedOn('a');
    expect(await bench.core.queue.counts('analysis')).toMatchObject({ active: 0, delayed: 1 });
    const [input] = await bench.core.mailbox.read(seed.id);
    expect(input && preliminaryOf(input.question)).toEqual({ word: 'handed over a' });
    expect((await bench.record(seed.id))?.handOff).toEqual({ key: 'a', state: 'awaited' });
    expect(await submit('a', { findings: [null, 7] })).toBe('stored');
    expect(await ended()).toEqual({ state: 'completed', result: { word: '{"findings":[null,7]}' } });
    expect((await bench.record(seed.id))?.handOff).toEqual({ key: 'a', state: 'submitted' });
  });

  it('waits as long as is configured unless told otherwise, and six days at most', async () => {
    for (const [timeoutMs, expectedMs] of [
      [undefined, 60_000],
      [1_234_567, 1_234_567],
      [1e12, 6 * 24 * 3_600_000],
    ] as const) {
      const { bench, seed, parkedOn } = await setupHanding((context) => told(context, 'a', timeoutMs));
      await parkedOn('a');
      const [input] = await bench.core.mailbox.read(seed.id);
      const leftMs = (input?.question.deadlineMs ?? 0) - Date.now();
      expect(leftMs).toBeGreaterThan(expectedMs - 5_000);
      expect(leftMs).toBeLessThanOrEqual(expectedMs);
    }
  });

  it('that nobody answers ends as its handler decides, and is noted as lapsed', async () => {
    const { bench, seed, ended } = await setupHanding((context) => told(context, 'a', 50));
    expect(await ended()).toEqual({ state: 'completed', result: { word: 'timed_out' } });
    expect((await bench.record(seed.id))?.handOff).toEqual({ key: 'a', state: 'lapsed' });
  });

  it('may follow another, and the record names the latest', async () => {
    const work = async (context: HandlerContext) => `${await told(context, 'a')} ${await told(context, 'b')}`;
    const { bench, seed, submit, parkedOn, ended } = await setupHanding(work);
    await parkedOn('a');
    await submit('a', 1);
    await parkedOn('b');
    expect((await bench.record(seed.id))?.handOff).toEqual({ key: 'b', state: 'awaited' });
    await submit('b', 2);
    expect(await ended()).toMatchObject({ result: { word: '1 2' } });
  });

  it('beside a question waits for both, whichever is answered first', async () => {
    const work = async (context: HandlerContext) => {
      const request = { messages: [{ role: 'user' as const, text: 'x' }], maxTokens: 10 };
      const [handed, said] = await Promise.all([told(context, 'a'), context.sample('b', request)]);
      return `${handed} ${said.kind}`;
    };
    const { bench, seed, submit, parkedOn, ended } = await setupHanding(work);
    await parkedOn('a', 'b');
    await submit('b', { content: { type: 'text', text: 'hi' } });
    await parkedOn('a');
    expect((await bench.record(seed.id))?.handOff).toEqual({ key: 'a', state: 'awaited' });
    await submit('a', 1);
    expect(await ended()).toMatchObject({ result: { word: '1 answered' } });
  });

  it('beside another fails the job, since no submission could tell them apart', async () => {
    const work = async (context: HandlerContext) =>
      (await Promise.all([told(context, 'a'), told(context, 'b')])).join('');
    const { bench, ended } = await setupHanding(work);
    expect(await ended()).toMatchObject({ error: { code: 'handler_failed' } });
    expect(JSON.stringify(bench.logged)).toContain('hands over one thing at a time');
  });

  it('that does not fit the contract fails the job as a fault of the tool', async () => {
    const work = async (context: HandlerContext) => (await context.handOff('a', { output: { words: 1 } })).kind;
    const { ended } = await setupHanding(work);
    expect(await ended()).toMatchObject({
      error: { code: 'internal', message: expect.stringContaining('does not fit its own schema') },
    });
  });

  it('with a time that is none fails the job instead of waiting for ever', async () => {
    const { bench, ended } = await setupHanding((context) => told(context, 'a', Number.NaN));
    expect(await ended()).toMatchObject({ error: { code: 'handler_failed' } });
    expect(JSON.stringify(bench.logged)).toContain('expected more than 0');
  });

  it('larger than a result may be fails the job and says so', async () => {
    const work = async (context: HandlerContext) =>
      (await context.handOff('a', { output: { word: 'x'.repeat(2_000) } })).kind;
    const { ended } = await setupHanding(work, { retention: { resultBytes: 1_000 } });
    expect(await ended()).toMatchObject({ state: 'failed', error: { code: 'result_too_large' } });
  });

  it('is stored without secrets, and is the same hand-off in the next run', async () => {
    const secret = `ghp_${draw('hand-off', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789', 36)}`;
    const work = async (context: HandlerContext) =>
      (await context.handOff('a', { output: { word: `token = "${secret}"` } })).kind;
    const { bench, seed, submit, parkedOn, ended } = await setupHanding(work);
    await parkedOn('a');
    const [input] = await bench.core.mailbox.read(seed.id);
    expect(JSON.stringify(input)).not.toContain(secret);
    expect(input && preliminaryOf(input.question)).toEqual({ word: expect.stringMatching(/^token = "\[REDACTED:/) });
    await submit('a', 1);
    expect(await ended()).toMatchObject({ state: 'completed' });
  });

  it('that changes between runs fails the job as a fault of the tool', async () => {
    let runs = 0;
    const work = async (context: HandlerContext) => {
      runs += 1;
      return (await context.handOff('a', { output: { word: `run ${runs}` } })).kind;
    };
    const { submit, parkedOn, ended } = await setupHanding(work);
    await parkedOn('a');
    await submit('a', 1);
    expect(await ended()).toMatchObject({ state: 'failed', error: { code: 'replay_mismatch' } });
  });
});
