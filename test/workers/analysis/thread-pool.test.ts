import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { createThreadPool } from '../../../workers/analysis/thread-pool.js';

it('serves an earlier turn before a later one of its name, and everybody else in the order they came', async () => {
  const pool = createThreadPool({ threads: 1 });
  onTestFinished(() => pool.end());
  const served: string[] = [];
  const ask = async (name: string, turn?: { of: string; rank: number }) => {
    await pool.ask({ kind: 'look', root: tmpdir(), folders: [] }, undefined, turn);
    served.push(name);
  };
  // The first has the thread; the others stand in line.
  const first = ask('first');
  const second = ask('tree 2', { of: 'tree', rank: 2 });
  const others = [ask('other 9', { of: 'other', rank: 9 }), ask('no turn'), ask('tree 1', { of: 'tree', rank: 1 })];
  await Promise.all([first, second, ...others, ask('tree 1 again', { of: 'tree', rank: 1 })]);
  expect(served).toEqual(['first', 'tree 1', 'tree 1 again', 'tree 2', 'other 9', 'no turn']);
});
