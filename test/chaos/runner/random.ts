/** Chance from a seed: the same seed and name give the same draws, whatever is drawn elsewhere. */
import { createHash } from 'node:crypto';

/** A stream of draws. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks a key of a table by its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** Builds the stream called `name` of a seed. */
export function createRandom(seed: number, name: string): Random {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0);
  // Mulberry32, by Tommy Ettinger: small, and even enough for this.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick(items) {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    weighted(weights) {
      const rows = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * rows.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of rows) {
        left -= weight;
        if (left < 0) return key;
      }
      throw new Error('no weights');
    },
  };
}
