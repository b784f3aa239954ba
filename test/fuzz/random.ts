/** Random choices that a seed repeats, so that whatever a run met can be had again. */

/** Draws from one sequence of numbers. */
export interface Random {
  /** A whole number from 0 up to `limit`, which is not among them. */
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** One of a list that may be empty, where the other is taken. */
  pickOr<T>(list: readonly T[], other: T): T;
}

/** The sequence of the input `index` of the run `seed` (mulberry32). */
export function createRandom(seed: number, index = 0): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) | 0;

  function below(limit: number): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  return {
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    pickOr: (list, other) => (list.length === 0 ? other : (list[below(list.length)] ?? other)),
  };
}
