/** Tables of a handler: its parts write into them. */
import { expect, it } from 'vitest';
import type { Handler } from '../../src/core/tool.js';
import { until } from '../support/gate.js';
import { setup } from './setup.js';

const SECTION = { name: 'words', columns: ['word'] };
const share = { from: 0, to: 1, outOf: 1, total: 3, before: '', after: '' };

it('parts write into the tables of their job, in the order of the parts, and the job reads how many rows there are', async () => {
  const seen: unknown[] = [];
  const handler: Handler = async (input, context) => {
    const { word } = input as { word: string };
    if (word !== 'all') {
      await context.table(SECTION, [[word], [word.toUpperCase()]]);
      return { word };
    }
    await context.table(SECTION, [['own']]);
    const parts = ['c', 'a', 'b'].map((each) => ({ word: each }));
    await context.fanOut('letters', { tool: 'echo', queue: 'analysis', parts, share });
    seen.push(...(await context.sections()));
    return { word };
  };
  const bench = setup({ handler });
  const { queue, tables } = bench.core;
  const consumer = queue.consumer({ queue: 'analysis', concurrency: 2, workerId: 'w1', run: bench.execute });
  await consumer.start();
  const seed = await bench.job({ args: { word: 'all' }, queue: 'analysis' });
  await queue.add(seed);
  await until(() => bench.outcome(seed.id), Boolean, { what: 'the outcome' });
  const page = await tables.read(seed.id, { section: 'words', offset: 0, limit: 10 });
  expect(page?.rows.flat()).toEqual(['own', 'c', 'C', 'a', 'A', 'b', 'B']);
  expect(seen).toEqual([{ ...SECTION, rows: 7, leftOut: 0 }]);
  await consumer.stop(1_000);
});
