/** Progress of one call by a clock of the test's own: signs of life neither hold reports up nor swallow them. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCallProgress, type ProgressUpdate } from '../../src/mcp/call-progress.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function setup(told?: number) {
  const sent: ProgressUpdate[] = [];
  const progress = createCallProgress(async (update) => void sent.push(update), told);
  const values = () => sent.map((update) => update.progress);
  return { progress, sent, values, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

it('thins reports to ten a second, and keeps the last of them', async () => {
  const { progress, values, pass } = setup();
  for (const value of [1, 2, 3]) progress.report({ progress: value });
  await pass(99);
  expect(values()).toEqual([1]);
  await pass(1);
  expect(values()).toEqual([1, 3]);
  progress.report({ progress: 4 });
  await progress.finish();
  expect(values()).toEqual([1, 3, 4]);
});

it('leaves out what repeats or falls, and what comes after the end', async () => {
  const { progress, values, pass } = setup();
  for (const value of [10, 10, 5, 20]) {
    progress.report({ progress: value });
    await pass(150);
  }
  await progress.finish();
  progress.report({ progress: 30 });
  progress.heartbeat('late');
  await pass(1_000);
  expect(values()).toEqual([10, 20]);
});

it('sends a report at once though a sign of life came just before', async () => {
  const { progress, values, pass } = setup();
  progress.heartbeat('queued');
  progress.report({ progress: 10 });
  await pass(0);
  expect(values()).toEqual([0, 10]);
  progress.report({ progress: 20 });
  progress.heartbeat('running');
  await progress.finish();
  // Of the latter nothing: the report was about to go out.
  expect(values()).toEqual([0, 10, 20]);
});

it('tells of the first report though signs of life have its value already', async () => {
  const { progress, sent, pass } = setup();
  progress.heartbeat('queued, position 2');
  progress.heartbeat('queued, position 1');
  progress.report({ progress: 0, total: 100, message: 'Reading' });
  progress.report({ progress: 0, total: 100, message: 'Reading on' });
  await pass(1_000);
  expect(sent.map(({ message }) => message)).toEqual(['queued, position 2', 'queued, position 1', 'Reading']);
  expect(sent.map((update) => update.progress)).toEqual([0, 1e-6, 2e-6]);
  progress.report({ progress: 1, total: 100 });
  await progress.finish();
  expect(sent.at(-1)).toEqual({ progress: 1, total: 100 });
});

it('goes on after what its client has heard from another front end', async () => {
  const { progress, values } = setup(10.000001);
  progress.report({ progress: 10 });
  progress.heartbeat('running');
  progress.report({ progress: 11 });
  await progress.finish();
  expect(values()).toEqual([expect.closeTo(10.000002, 8), 11]);
});
