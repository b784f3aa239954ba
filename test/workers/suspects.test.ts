/** Jobs under which workers died are kept apart from each other, so that one that kills its workers takes no others with it. */
import { expect, it } from 'vitest';
import { scriptHandler } from '../support/scripted-handler.js';
import { type Bench, setup } from './setup.js';

/** A job whose last runs ended with their workers. */
async function jobAfterDeaths(bench: Bench, deaths: number) {
  const seed = await bench.job();
  for (let run = 0; run < deaths; run++) await bench.core.store.begin(seed, { workerId: 'w0', run: `run ${run}` });
  return seed;
}

it('two jobs after two deaths each do not run side by side, and the second loses no attempt', async () => {
  const script = scriptHandler();
  const bench = setup({ handler: script.handler });
  const [first, second] = [await jobAfterDeaths(bench, 2), await jobAfterDeaths(bench, 2)];
  const running = bench.deliver(first);
  const run = await script.run(1);
  expect(await bench.deliver(second).verdict()).toMatchObject({ kind: 'delay' });
  expect(script.runs).toHaveLength(1);

  run.answer({ word: 'one' });
  expect(await running.verdict()).toEqual({ kind: 'done' });
  const later = bench.deliver(second);
  (await script.run(2)).answer({ word: 'two' });
  expect(await later.verdict()).toEqual({ kind: 'done' });
  expect(await bench.record(second.id)).toMatchObject({ state: 'completed', attempt: 1, crashes: 2 });
});

it('of two that are taken at the same moment one runs, and the other waits with its attempt unspent', async () => {
  const script = scriptHandler();
  const bench = setup({ handler: script.handler });
  const jobs = [await jobAfterDeaths(bench, 2), await jobAfterDeaths(bench, 2)];
  const deliveries = jobs.map((seed) => bench.deliver(seed));
  const run = await script.run(1);
  const put = await Promise.race(deliveries.map((delivery) => delivery.verdict()));
  expect(put).toMatchObject({ kind: 'delay' });
  const states = await Promise.all(jobs.map(async ({ id }) => (await bench.record(id))?.state));
  expect(states.sort()).toEqual(['active', 'waiting']);
  run.answer({ word: 'one' });
  await Promise.all(deliveries.map((delivery) => delivery.verdict()));
  expect(script.runs).toHaveLength(1);
});

it('a job after a single death, which may befall any, runs beside one that is kept apart', async () => {
  const script = scriptHandler();
  const bench = setup({ handler: script.handler });
  const [suspect, unlucky] = [await jobAfterDeaths(bench, 2), await jobAfterDeaths(bench, 1)];
  const deliveries = [bench.deliver(suspect)];
  await script.run(1);
  deliveries.push(bench.deliver(unlucky));
  await script.run(2);
  for (const run of script.runs) run.answer({ word: 'both' });
  expect(await Promise.all(deliveries.map((delivery) => delivery.verdict()))).toEqual([
    { kind: 'done' },
    { kind: 'done' },
  ]);
});

it('a job that is cancelled while it goes to park is woken to see that, and does not lie in the queue until its deadline', async () => {
  const bench = setup({
    handler: async (_input, context) => {
      await context.sample('only', { messages: [{ role: 'user', text: 'Well?' }], maxTokens: 10 });
      return { word: 'never' };
    },
  });
  const client = { sampling: true, samplingTools: false, elicitation: false, roots: false };
  const seed = await bench.job({ client });
  const verdict = await bench.deliver(seed).verdict();
  if (verdict.kind !== 'park') throw new Error(`the job was to park, not to ${verdict.kind}`);
  expect(await verdict.isReady()).toBe(false);
  await bench.core.store.end(seed.id, { state: 'cancelled', reason: 'enough' });
  expect(await verdict.isReady()).toBe(true);
});
