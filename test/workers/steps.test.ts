/** Journaled steps: each runs once in a job's life, and a replay of what was done already is silent. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import type { JobEvent } from '../../src/core/events.js';
import type { JsonValue } from '../../src/core/json.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createGate } from '../support/gate.js';
import { cancelled } from '../support/job-seeds.js';
import { type Bench, type BenchOptions, setup } from './setup.js';

const away = () => new AppError('queue_unavailable', 'something else was away');
const progressOf = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
const dataOf = (events: readonly JobEvent[]) => events.flatMap((event) => (event.type === 'log' ? [event.data] : []));

/** A handler of the test's own words, with a count of how often each step really ran. */
function setupSteps(
  work: (context: HandlerContext, step: (key: string, value?: JsonValue) => Promise<JsonValue>) => Promise<void>,
  options: Omit<BenchOptions, 'handler'> = {},
): { bench: Bench; ran: string[] } {
  const ran: string[] = [];
  const handler: Handler = async (_input, context) => {
    await work(context, (key, value = key) =>
      context.step(key, async () => {
        ran.push(key);
        return value;
      }),
    );
    return { word: ran.join(' ') };
  };
  return { bench: setup({ handler, ...options }), ran };
}

describe('a step', () => {
  it('runs once in the job’s life, whatever happens between the attempts', async () => {
    const seen: JsonValue[] = [];
    const { bench, ran } = setupSteps(async (context, step) => {
      seen.push(await step('a', { found: [1, null] }), await step('b', 0));
      if (context.attempt === 1) throw away();
      seen.push(await step('c', false));
    });
    const seed = await bench.job();
    expect((await bench.deliver(seed).verdict()).kind).toBe('delay');
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'done' });
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual([{ found: [1, null] }, 0, { found: [1, null] }, 0, false]);
  });

  it.each([
    ['nothing', undefined, null],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['more than JSON holds', { at: undefined, list: [undefined], not: Number.NaN }, { list: [null], not: null }],
  ])('that returns %s gives the same in every run', async (_, returned, given) => {
    const seen: JsonValue[] = [];
    const { bench, ran } = setupSteps(async (context, step) => {
      // As a tool in plain JavaScript would.
      seen.push(await context.step('odd', async () => returned as unknown as JsonValue));
      await step('next');
      if (context.attempt === 1) throw away();
    });
    const seed = await bench.job();
    expect((await bench.deliver(seed).verdict()).kind).toBe('delay');
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'done' });
    expect(ran).toEqual(['next']);
    expect(seen).toEqual([given, given]);
  });

  it('is kept over a worker’s death', async () => {
    const { bench, ran } = setupSteps(async (_, step) => {
      await step('a');
      await step('b');
    });
    const seed = await bench.job();
    await bench.core.store.begin(seed, { workerId: 'w0', run: 'dead' });
    await bench.core.journal.write(seed.id, 'dead', 'a', 'done before');
    await bench.deliver(seed).verdict();
    expect(ran).toEqual(['b']);
    expect(await bench.record(seed.id)).toMatchObject({ state: 'completed', crashes: 1 });
  });

  it('that failed is not journaled and runs again', async () => {
    let tries = 0;
    const { bench } = setupSteps(async (context) => {
      await context.step('a', async () => {
        tries += 1;
        if (tries === 1) throw away();
        return tries;
      });
    });
    const seed = await bench.job();
    await bench.deliver(seed).verdict();
    expect(await bench.deliver(seed).verdict()).toEqual({ kind: 'done' });
    expect(tries).toBe(2);
  });

  it('runs beside others, and each is kept by its own key', async () => {
    const { bench, ran } = setupSteps(async (context, step) => {
      await Promise.all(['a', 'b', 'c'].map((key) => step(key)));
      if (context.attempt === 1) throw away();
    });
    const seed = await bench.job();
    await bench.deliver(seed).verdict();
    await bench.deliver(seed).verdict();
    expect(ran.sort()).toEqual(['a', 'b', 'c']);
  });

  it('whose key is used twice in one run fails the job', async () => {
    const { bench } = setupSteps(async (_, step) => {
      await step('a');
      await step('a');
    });
    const seed = await bench.job();
    expect((await bench.deliver(seed).verdict()).kind).toBe('failed');
    expect(JSON.stringify(bench.logged)).toContain('was used twice in one run');
  });

  it('does not begin once the job was cancelled', async () => {
    const reached = createGate();
    const gate = createGate();
    const { bench, ran } = setupSteps(async (_, step) => {
      await step('a');
      reached.open();
      await gate.opened;
      await step('b');
    });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    await reached.opened;
    await bench.core.store.end(seed.id, cancelled());
    gate.open();
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect(ran).toEqual(['a']);
  });

  it('of a superseded run is not journaled, and ends the run', async () => {
    const reached = createGate();
    const gate = createGate();
    const { bench } = setupSteps(async (context) => {
      await context.step('a', async () => {
        reached.open();
        await gate.opened;
        return 1;
      });
    });
    const seed = await bench.job();
    const job = bench.deliver(seed);
    await reached.opened;
    await bench.core.store.begin(seed, { workerId: 'w2', run: 'other' });
    gate.open();
    expect(await job.verdict()).toEqual({ kind: 'done' });
    expect((await bench.core.journal.read(seed.id)).size).toBe(0);
    expect(await bench.record(seed.id)).toMatchObject({ state: 'active', workerId: 'w2' });
  });
});

describe('a replay', () => {
  it('is silent up to the last journaled step, and heard from there on', async () => {
    const { bench } = setupSteps(async (context, step) => {
      context.log('info', `start ${context.attempt}`);
      context.progress({ progress: 1 });
      await step('a');
      context.log('info', `middle ${context.attempt}`);
      context.progress({ progress: 2 });
      await step('b');
      context.log('info', `after ${context.attempt}`);
      context.progress({ progress: 2 + context.attempt });
      if (context.attempt === 1) throw away();
    });
    const seed = await bench.job();
    await bench.deliver(seed).verdict();
    await bench.deliver(seed).verdict();
    const events = await bench.events(seed.id);
    expect(dataOf(events)).toEqual(['start 1', 'middle 1', 'after 1', 'after 2']);
    const values = progressOf(events);
    expect(values.at(-1)).toBe(4);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  it('of a job without steps is heard from the start', async () => {
    const { bench } = setupSteps(async (context) => {
      context.log('info', `start ${context.attempt}`);
      if (context.attempt === 1) throw away();
    });
    const seed = await bench.job();
    await bench.deliver(seed).verdict();
    await bench.deliver(seed).verdict();
    expect(dataOf(await bench.events(seed.id))).toEqual(['start 1', 'start 2']);
  });

  it('that takes another way is heard from its first new step', async () => {
    const { bench } = setupSteps(async (context, step) => {
      context.log('info', `start ${context.attempt}`);
      await step(`way ${context.attempt}`);
      context.log('info', `after ${context.attempt}`);
      if (context.attempt === 1) throw away();
    });
    const seed = await bench.job();
    await bench.deliver(seed).verdict();
    await bench.deliver(seed).verdict();
    expect(dataOf(await bench.events(seed.id))).toEqual(['start 1', 'after 1', 'after 2']);
  });

  it('never reports progress that fell, over any number of attempts', async () => {
    const { bench } = setupSteps(
      async (context) => {
        for (let value = 1; value <= 3 * context.attempt; value += 1) context.progress({ progress: value });
        if (context.attempt < 4) throw away();
      },
      { limits: { attempts: 4 } },
    );
    const seed = await bench.job();
    for (let attempt = 1; attempt <= 4; attempt += 1) await bench.deliver(seed).verdict();
    const values = progressOf(await bench.events(seed.id));
    expect(values.at(-1)).toBe(12);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });
});
