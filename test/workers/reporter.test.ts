/** Progress and logs on their way to the event log: thinned, bounded, in order, and never what cannot be stored. */
import { describe, expect, it } from 'vitest';
import { type JobEvent, LOG_START } from '../../src/core/events.js';
import type { JobSeed } from '../../src/core/job.js';
import { createReporter, type Reporter } from '../../workers/reporter.js';
import { createFakeCore, type FakeCore } from '../support/fakes/fake-core.js';
import { cancelled, completed, seedOf } from '../support/job-seeds.js';

interface Setup {
  readonly core: FakeCore;
  readonly seed: JobSeed;
  readonly reporter: Reporter;
  readonly refusals: string[];
  readonly errors: unknown[];
  events(): Promise<JobEvent[]>;
}

async function setup(): Promise<Setup> {
  const core = createFakeCore({ eventsPerJob: 100_000 });
  const seed = seedOf();
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  const refusals: string[] = [];
  const errors: unknown[] = [];
  const reporter = createReporter({
    log: core.log,
    redactor: core.redactor,
    id: seed.id,
    run: 'r1',
    onRefused: (why) => refusals.push(why),
    onError: (error) => errors.push(error),
  });
  const events = async () => (await core.log.read(seed.id, LOG_START, 100_000)).slice(1).map((stored) => stored.event);
  return { core, seed, reporter, refusals, errors, events };
}

const progressOf = (events: readonly JobEvent[]) =>
  events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
const dataOf = (events: readonly JobEvent[]) => events.flatMap((event) => (event.type === 'log' ? [event.data] : []));
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('progress', () => {
  it('the first and the last of a burst are stored, and almost nothing between', async () => {
    const { core, reporter, events } = await setup();
    for (let value = 1; value <= 5_000; value += 1) reporter.progress({ progress: value });
    await reporter.flush();
    expect(progressOf(await events())).toEqual([1, 5_000]);
    expect(core.log.batches.length).toBeLessThanOrEqual(2);
  });

  it('5,000 reports over a second and more are at most twelve writes a second', async () => {
    const { core, reporter, events } = await setup();
    const startMs = Date.now();
    let value = 0;
    while (Date.now() - startMs < 1_500 || value < 5_000) {
      value += 1;
      reporter.progress({ progress: value, total: 5_000 });
      if (value % 5 === 0) await turn();
    }
    await reporter.flush();
    const seconds = (Date.now() - startMs) / 1_000;
    expect(core.log.batches.length / seconds).toBeLessThanOrEqual(12);
    const values = progressOf(await events());
    expect(values[0]).toBe(1);
    expect(values.at(-1)).toBe(value);
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });

  it('a value that does not rise never displaces one that does', async () => {
    const { reporter, events } = await setup();
    for (const progress of [1, 7, 3]) reporter.progress({ progress });
    await reporter.flush();
    expect(progressOf(await events())).toEqual([1, 7]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'a progress of %s is left out, and the record stays readable',
    async (progress) => {
      const { core, seed, reporter, events } = await setup();
      reporter.progress({ progress });
      reporter.progress({ progress: 1, total: progress });
      await reporter.flush();
      expect(await events()).toEqual([{ type: 'progress', progress: 1 }]);
      expect((await core.store.get(seed.id))?.progress).toEqual({ progress: 1 });
    },
  );
});

describe('logs', () => {
  it('every line is stored in order, between the progress it came with', async () => {
    const { reporter, events } = await setup();
    for (let index = 0; index < 50; index += 1) reporter.log('info', 'echo', `line ${index}`);
    await reporter.flush();
    expect(dataOf(await events())).toEqual(Array.from({ length: 50 }, (_, index) => `line ${index}`));
  });

  it('a flood is cut to its newest lines, with a notice of how many were dropped', async () => {
    const { core, reporter, events } = await setup();
    for (let index = 0; index < 100_000; index += 1) reporter.log('info', 'echo', index);
    await reporter.flush();
    const lines = dataOf(await events());
    expect(lines.length).toBeLessThan(1_100);
    expect(lines.at(-1)).toBe(99_999);
    const notice = (await events()).find((event) => event.type === 'log' && event.level === 'warning');
    const dropped = 100_000 - lines.filter((line) => typeof line === 'number').length;
    expect(notice).toMatchObject({
      logger: 'longhaul',
      data: { message: expect.stringContaining(`${dropped} older`) },
    });
    expect(core.log.batches.length).toBeLessThanOrEqual(2);
  });

  it('a flood does not push out the progress', async () => {
    const { reporter, events } = await setup();
    reporter.log('info', 'echo', 'first');
    reporter.progress({ progress: 42 });
    for (let index = 0; index < 5_000; index += 1) reporter.log('info', 'echo', index);
    await reporter.flush();
    expect(progressOf(await events())).toEqual([42]);
  });
});

describe('a reporter whose run is over', () => {
  it.each([
    ['ended', async ({ core, seed }: Setup) => core.store.end(seed.id, cancelled())],
    ['superseded', async ({ core, seed }: Setup) => core.store.begin(seed, { workerId: 'w2', run: 'r2' })],
  ] as const)('says once that its run was %s, and writes nothing more', async (why, lose) => {
    const all = await setup();
    await lose(all);
    all.reporter.progress({ progress: 1 });
    await all.reporter.flush();
    all.reporter.progress({ progress: 2 });
    all.reporter.log('info', 'echo', 'late');
    await all.reporter.flush();
    expect(all.refusals).toEqual([why]);
    expect(all.core.log.batches).toHaveLength(1);
  });

  it('has stored all it was told when its flush resolves', async () => {
    const { core, seed, reporter, events } = await setup();
    reporter.log('info', 'echo', 'last words');
    reporter.progress({ progress: 1 });
    await reporter.flush();
    await core.store.end(seed.id, completed(), 'r1');
    expect((await events()).map((event) => event.type)).toEqual(['log', 'progress', 'outcome']);
  });

  it('a failed write is told and does not stop the next', async () => {
    const { core, reporter, errors, events } = await setup();
    core.memory.connection('refusing');
    reporter.log('info', 'echo', 'lost');
    await reporter.flush();
    core.memory.connection('up');
    reporter.log('info', 'echo', 'kept');
    await reporter.flush();
    expect(errors).toMatchObject([{ code: 'queue_unavailable' }]);
    expect(dataOf(await events())).toEqual(['kept']);
  });

  it('while a write hangs, what comes is bounded and stored in one piece after it', async () => {
    const { core, reporter, events } = await setup();
    core.memory.connection('hanging');
    for (let index = 0; index < 5_000; index += 1) reporter.log('info', 'echo', index);
    const flushed = reporter.flush();
    core.memory.connection('up');
    await flushed;
    expect(core.log.batches.length).toBeLessThanOrEqual(2);
    expect(dataOf(await events()).at(-1)).toBe(4_999);
  });
});
