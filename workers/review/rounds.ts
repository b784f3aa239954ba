/** Keeps a review within the rounds that a client bears: questions asked together are one round, whatever their number. */
import type { HandlerContext } from '../../src/core/tool.js';

/** One line of questions, each asked when the one before is answered. */
export interface Branch extends Pick<HandlerContext, 'sample'> {
  /** Rounds this branch may still take. */
  left(): number;
}

/** See `createRounds`. */
export interface Rounds {
  /** Runs a phase of branches side by side; it may take all rounds but one for each phase that is still to come. */
  phase<Result>(run: (branch: () => Branch) => Promise<Result>): Promise<Result>;
}

/** A client of 2026-07-28 gives a call up after ten rounds; one is left for its folders. */
const MOST_ROUNDS = 9;

/** Counts the rounds of a review of so many phases. */
export function createRounds(context: Pick<HandlerContext, 'sample'>, phases: number): Rounds {
  let used = 0;
  let ahead = phases;
  return {
    async phase(run) {
      ahead -= 1;
      const allowed = Math.max(1, MOST_ROUNDS - used - ahead);
      const counts: number[] = [];
      const branch = (): Branch => {
        const own = counts.push(0) - 1;
        return {
          left: () => allowed - (counts[own] ?? 0),
          sample(key, request) {
            counts[own] = (counts[own] ?? 0) + 1;
            return context.sample(key, request);
          },
        };
      };
      const result = await run(branch);
      used += Math.max(0, ...counts);
      return result;
    },
  };
}
