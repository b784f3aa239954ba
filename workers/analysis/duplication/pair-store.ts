/** Keeps the pairs of all ranges up to a bound, the same ones whatever the order in which they arrive. */
import { countPairs, type PackedPairs } from './pairs.js';

/** A bounded store. */
export interface PairStore {
  /** Stores the pairs of the `index`th range. */
  put(index: number, pairs: PackedPairs): void;
  /** The pairs of the first ranges, up to the bound, and how many pairs there were beyond. */
  result(): { readonly packed: readonly PackedPairs[]; readonly lost: number };
}

/** Creates a store for about `most` pairs: the range that crosses the bound is still kept. */
export function createPairStore(most: number): PairStore {
  const ranges: (PackedPairs | undefined)[] = [];
  let settled = 0;
  let kept = 0;
  let total = 0;

  function put(index: number, pairs: PackedPairs): void {
    total += countPairs(pairs);
    ranges[index] = pairs;
    for (let next = ranges[settled]; next !== undefined; next = ranges[settled]) {
      if (kept >= most) ranges[settled] = next.slice(0, 0);
      else kept += countPairs(next);
      settled += 1;
    }
  }

  return {
    put,
    result: () => ({ packed: ranges.filter((range) => range !== undefined), lost: total - kept }),
  };
}
