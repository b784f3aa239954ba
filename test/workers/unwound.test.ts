/** How long a stopping worker waits for its jobs to be handed back, by a clock of the test's own. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HANDLER_UNWIND_MS, unwound } from '../../workers/unwound.js';
import { createGate } from '../support/gate.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A worker that is told to hurry, and when it was done with its jobs. */
function setup(closing: Promise<unknown>) {
  const shutdown = new AbortController();
  const seen = { isOver: false };
  void unwound(closing, shutdown.signal).then(() => {
    seen.isOver = true;
  });
  return { seen, hurry: () => shutdown.abort(), pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

it('waits as long as it takes while nobody hurries it', async () => {
  const { seen, pass } = setup(new Promise((resolve) => setTimeout(resolve, 60_000)));
  await pass(59_999);
  expect(seen.isOver).toBe(false);
  await pass(1);
  expect(seen.isOver).toBe(true);
});

it('leaves time to hand back a job whose handler took all of its own', async () => {
  const { seen, hurry, pass } = setup(new Promise((resolve) => setTimeout(resolve, HANDLER_UNWIND_MS + 900)));
  hurry();
  await pass(HANDLER_UNWIND_MS + 899);
  expect(seen.isOver).toBe(false);
  await pass(1);
  expect(seen.isOver).toBe(true);
});

it('gives up on a Redis that takes nothing back', async () => {
  const { seen, hurry, pass } = setup(new Promise(() => undefined));
  hurry();
  await pass(1_999);
  expect(seen.isOver).toBe(false);
  await pass(1);
  expect(seen.isOver).toBe(true);
});

it('does not count the time in which its process stood still', async () => {
  const handedBack = createGate();
  const { seen, hurry, pass } = setup(handedBack.opened);
  hurry();
  await pass(0);
  // As when a process goes on after that: whatever timer it had is over due, and no answer was read yet.
  vi.advanceTimersByTime(10_000);
  await pass(0);
  expect(seen.isOver).toBe(false);
  handedBack.open();
  await pass(0);
  expect(seen.isOver).toBe(true);
});
