/** The bounded loop of every tool that may have to ask more than once. */
import { TOOL_ROUNDS } from '../../src/core/sampling-limits.js';

/** What a loop came to. */
export interface Looped<Result> {
  readonly result: Result;
  /** Rounds used, at least one. */
  readonly rounds: number;
  readonly done: boolean;
}

/**
 * Asks until it is done, at most `most` rounds and never more than five. `ask` is told the round, from 1, and what the one
 * before came to.
 */
export async function untilDone<Result>(loop: {
  readonly most?: number;
  readonly ask: (round: number, before: Result | undefined) => Promise<Result>;
  readonly isDone: (result: Result) => boolean;
}): Promise<Looped<Result>> {
  const most = Math.max(1, Math.min(loop.most ?? TOOL_ROUNDS, TOOL_ROUNDS));
  let result = await loop.ask(1, undefined);
  let rounds = 1;
  while (!loop.isDone(result) && rounds < most) {
    rounds += 1;
    result = await loop.ask(rounds, result);
  }
  return { result, rounds, done: loop.isDone(result) };
}
