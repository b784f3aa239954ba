/** A tool handler whose every run is held until the test says what it answers. */
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createGate, type Gate, until } from './gate.js';

/** One run of the handler, under the test's hand. */
export interface HandlerRun {
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: HandlerContext;
  answer(output: Record<string, unknown>): void;
  fail(error: unknown): void;
}

/** The handler and its runs, in order. */
export interface ScriptedHandler {
  readonly handler: Handler;
  readonly runs: readonly HandlerRun[];
  /** Waits for run number `count` (from 1) to begin. */
  run(count: number): Promise<HandlerRun>;
}

/** `polite` handlers stop when their signal aborts, `stubborn` ones never look at it. */
export function scriptHandler(manners: 'polite' | 'stubborn' = 'polite'): ScriptedHandler {
  const runs: HandlerRun[] = [];
  return {
    runs,
    handler: async (input, context) => {
      const gate: Gate<() => Record<string, unknown>> = createGate();
      const fail = (error: unknown) =>
        gate.open(() => {
          throw error;
        });
      if (manners === 'polite') context.signal.addEventListener('abort', () => fail(context.signal.reason));
      runs.push({ input, context, answer: (output) => gate.open(() => output), fail });
      const conclude = await gate.opened;
      return conclude();
    },
    async run(count) {
      await until(
        () => runs.length,
        (begun) => begun >= count,
        { what: `run number ${count} of the handler` },
      );
      const run = runs[count - 1];
      if (!run) throw new Error(`there was no run number ${count}`);
      return run;
    },
  };
}
