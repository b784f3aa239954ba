/** Questions of a running job: asked once, answered from the mailbox, and no slot is held while the client thinks. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { type ClientAbilities, NO_ABILITIES } from '../../src/core/input.js';
import type { JobSeed } from '../../src/core/job.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createJobs } from '../../src/jobs/jobs.js';
import { createGate, until } from '../support/gate.js';
import { cancelled, seedOf } from '../support/job-seeds.js';
import { type Bench, setup } from './setup.js';

const CLIENT: ClientAbilities = { sampling: true, samplingTools: false, elicitation: true, roots: true };
const sampling = (text: string) => ({ messages: [{ role: 'user' as const, text }], maxTokens: 10 });
const said = (text: string) => ({ kind: 'answered' as const, value: { content: { type: 'text', text } } });

interface Asking {
  readonly bench: Bench;
  readonly seed: JobSeed;
  answer(key: string, text: string): Promise<string>;
  /** Waits until exactly these questions are open and the job is parked. */
  parkedOn(...keys: readonly string[]): Promise<void>;
  ended(): Promise<Record<string, unknown>>;
}

/** Runs `work` as a job on one worker with one slot; its result is the job's word. */
async function setupAsking(
  work: (context: HandlerContext) => Promise<string>,
  client: ClientAbilities = CLIENT,
): Promise<Asking> {
  const handler: Handler = async (_input, context) => ({ word: await work(context) });
  const bench = setup({ handler });
  const { store, log, queue, mailbox, ledger, tables, redactor } = bench.core;
  const jobs = createJobs({ store, log, queue, mailbox, ledger, tables, redactor, now: Date.now });
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
    answer: (key, text) => jobs.answer(seed.id, key, said(text)),
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

const textOf = async (context: HandlerContext, key: string): Promise<string> => {
  const reply = await context.sample(key, sampling(`about ${key}`));
  return reply.kind === 'answered' ? reply.value.text : reply.kind;
};

describe('a question', () => {
  it('parks its job without a slot, and the answer runs the handler again from the top', async () => {
    let runs = 0;
    const asking = await setupAsking(async (context) => {
      runs += 1;
      return textOf(context, 'a');
    });
    await asking.parkedOn('a');
    expect(await asking.bench.core.queue.counts('analysis')).toMatchObject({ active: 0, delayed: 1 });
    expect(await asking.answer('a', 'hello')).toBe('stored');
    expect(await asking.ended()).toEqual({ state: 'completed', result: { word: 'hello' } });
    expect(runs).toBe(2);
    expect(await asking.bench.record(asking.seed.id)).toMatchObject({ attempt: 1, crashes: 0, faults: [] });
  });

  it('that the client cannot be asked is answered at once', async () => {
    const asking = await setupAsking((context) => textOf(context, 'a'), NO_ABILITIES);
    expect(await asking.ended()).toMatchObject({ result: { word: 'unsupported' } });
  });

  it('after another is asked once the first is answered, and the first is not asked again', async () => {
    const asking = await setupAsking(async (context) => `${await textOf(context, 'a')} ${await textOf(context, 'b')}`);
    await asking.parkedOn('a');
    await asking.answer('a', 'one');
    await asking.parkedOn('b');
    await asking.answer('b', 'two');
    expect(await asking.ended()).toMatchObject({ result: { word: 'one two' } });
    const events = await asking.bench.events(asking.seed.id);
    expect(events.filter((event) => event.type === 'question').map((event) => event.key)).toEqual(['a', 'b']);
  });

  it('beside others is asked together with them, and each answer is kept', async () => {
    const asking = await setupAsking(async (context) => {
      const texts = await Promise.all(['a', 'b', 'c'].map((key) => textOf(context, key)));
      return texts.join(' ');
    });
    await asking.parkedOn('a', 'b', 'c');
    await asking.answer('b', 'two');
    await asking.parkedOn('a', 'c');
    await asking.answer('a', 'one');
    await asking.answer('c', 'three');
    expect(await asking.ended()).toMatchObject({ result: { word: 'one two three' } });
  });

  it('that comes after slow work of the handler’s own is no mismatch, whatever the order of the work', async () => {
    const gate = createGate();
    let runs = 0;
    const asking = await setupAsking(async (context) => {
      runs += 1;
      const slow = async (key: string) => {
        // The first run is quick; in later ones b is read long before a, as disks and networks do.
        if (runs > 1 && key === 'a') await gate.opened;
        return textOf(context, key);
      };
      return (await Promise.all([slow('a'), slow('b'), slow('c')])).join(' ');
    });
    await asking.parkedOn('a', 'b', 'c');
    await asking.answer('c', 'three');
    await until(
      () => runs,
      (count) => count === 2,
      { what: 'the second run' },
    );
    // Far longer than the few turns of the event loop after which a run counts as waiting.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    gate.open();
    await asking.parkedOn('a', 'b');
    expect((await asking.bench.record(asking.seed.id))?.state).toBe('parked');
  });

  it('has its whole time, however long the run worked before it asked', async () => {
    const gate = createGate();
    const begun = createGate();
    const asking = await setupAsking(async (context) => {
      begun.open();
      await gate.opened;
      return textOf(context, 'a');
    });
    await begun.opened;
    const begunMs = Date.now();
    await until(Date.now, (now) => now > begunMs + 50, { what: 'some time of work' });
    const openedMs = Date.now();
    gate.open();
    await asking.parkedOn('a');
    const [input] = await asking.bench.core.mailbox.read(asking.seed.id);
    expect(input?.question.deadlineMs).toBeGreaterThanOrEqual(openedMs + 60_000);
  });

  it('whose key is used for another in the same run fails the job, answered or not', async () => {
    const twice = await setupAsking(async (context) => {
      const texts = await Promise.all([textOf(context, 'a'), textOf(context, 'a')]);
      return texts.join();
    });
    expect(await twice.ended()).toMatchObject({ error: { code: 'handler_failed' } });
    expect(JSON.stringify(twice.bench.logged)).toContain('was asked twice in one run');
    const again = await setupAsking(async (context) => `${await textOf(context, 'a')} ${await textOf(context, 'a')}`);
    await again.parkedOn('a');
    await again.answer('a', 'one');
    expect(await again.ended()).toMatchObject({ error: { code: 'handler_failed' } });
    expect(JSON.stringify(again.bench.logged)).toContain('was asked twice in one run');
  });

  it('between steps runs none of them twice, and those after it only once it is answered', async () => {
    const ran: string[] = [];
    const asking = await setupAsking(async (context) => {
      const step = (key: string) =>
        context.step(key, async () => {
          ran.push(key);
          return key;
        });
      const branch = async (key: string) => `${await step(`before ${key}`)} ${await textOf(context, key)}`;
      const texts = await Promise.all([branch('a'), branch('b')]);
      await step('after both');
      return `${texts.join()} ${await textOf(context, 'c')}`;
    });
    await asking.parkedOn('a', 'b');
    expect(ran.sort()).toEqual(['before a', 'before b']);
    await asking.answer('b', 'two');
    await asking.parkedOn('a');
    await asking.answer('a', 'one');
    await asking.parkedOn('c');
    await asking.answer('c', 'three');
    expect(await asking.ended()).toMatchObject({ result: { word: 'before a one,before b two three' } });
    expect(ran.sort()).toEqual(['after both', 'before a', 'before b']);
  });

  it('that changes between runs fails the job as a fault of the tool', async () => {
    let runs = 0;
    const asking = await setupAsking(async (context) => {
      runs += 1;
      const reply = await context.sample('a', sampling(`about run ${runs}`));
      return reply.kind;
    });
    await asking.parkedOn('a');
    await asking.answer('a', 'hello');
    expect(await asking.ended()).toMatchObject({ state: 'failed', error: { code: 'replay_mismatch' } });
  });

  it('that a later run forgets, while it waits for a new one, fails the job instead of asking for ever', async () => {
    let runs = 0;
    const asking = await setupAsking(async (context) => {
      runs += 1;
      return textOf(context, `key of run ${runs}`);
    });
    await asking.parkedOn('key of run 1');
    await asking.answer('key of run 1', 'hello');
    expect(await asking.ended()).toMatchObject({ state: 'failed', error: { code: 'replay_mismatch' } });
  });

  it('is not asked again by an attempt after a fault', async () => {
    const asking = await setupAsking(async (context) => {
      const text = await textOf(context, 'a');
      if (context.attempt === 1) throw new AppError('queue_unavailable', 'something else was away');
      return text;
    });
    await asking.parkedOn('a');
    await asking.answer('a', 'hello');
    expect(await asking.ended()).toMatchObject({ result: { word: 'hello' } });
    expect(await asking.bench.record(asking.seed.id)).toMatchObject({ attempt: 2 });
  });
});

describe('a parked job', () => {
  it('that is cancelled never runs again', async () => {
    let runs = 0;
    const asking = await setupAsking(async (context) => {
      runs += 1;
      return textOf(context, 'a');
    });
    await asking.parkedOn('a');
    await asking.bench.core.store.end(asking.seed.id, cancelled());
    expect(await asking.answer('a', 'late')).toBe('ended');
    await asking.bench.core.queue.promote(asking.seed.id, 'analysis');
    await until(
      () => asking.bench.core.queue.counts('analysis'),
      (counts) => counts.delayed + counts.waiting + counts.active === 0,
      { what: 'an empty queue' },
    );
    expect(runs).toBe(1);
  });

  it('leaves its slot to others', async () => {
    const asking = await setupAsking((context) => textOf(context, 'a'));
    await asking.parkedOn('a');
    const other = seedOf({ client: NO_ABILITIES });
    await asking.bench.core.store.create(other);
    await asking.bench.core.queue.add(other);
    await until(
      () => asking.bench.record(other.id),
      (record) => record?.state === 'completed',
      { what: 'the other job to end' },
    );
  });
});
