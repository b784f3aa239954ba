/** Tells from the catalogue alone that a match cannot reach beyond one that is known, which spares reading its file. */
import type { CatalogueMemory } from './catalogue.js';
import type { Grain } from './fingerprints.js';

/** Two entries of one hash. */
export interface EntryPair {
  readonly entry: number;
  readonly other: number;
}

/** Whether a match around `entry` and `other` may reach beyond the known one around `entry`; false only for one that does not. */
export type Reach = (pair: EntryPair, known: { start: number; length: number }) => boolean;

/**
 * A run whose every window lies within the common stretch is chosen on both sides or on neither. So a stretch that
 * reached one token further would have to hold the known one's outermost such runs at the same distances.
 */
export function createReach({ hashes, files, places, firsts, counts }: CatalogueMemory, grain: Grain): Reach {
  const { window, minTokens } = grain;

  return ({ entry, other }, { start, length }) => {
    const place = places[entry] ?? 0;
    const last = lastUpTo(entry, start + length - minTokens + 1);
    if (last <= entry || (places[last] ?? 0) < place + window - 1 || sameAt(last, entry, other)) return true;
    const first = firstFrom(entry, start + window - 2);
    return first >= entry || (places[first] ?? 0) > place - window + 1 || sameAt(first, entry, other);
  };

  /** The last entry of the same file at or before `place`; at least the first. */
  function lastUpTo(entry: number, place: number): number {
    const file = files[entry] ?? 0;
    const begin = firsts[file] ?? 0;
    return Math.max(begin, search(begin, begin + (counts[file] ?? 0), place + 1) - 1);
  }

  /** The first entry of the same file at or behind `place`. */
  function firstFrom(entry: number, place: number): number {
    const file = files[entry] ?? 0;
    const begin = firsts[file] ?? 0;
    return search(begin, begin + (counts[file] ?? 0), place);
  }

  /** Whether the other file has the hash of `probe` as far from `other` as `probe` is from `entry`. */
  function sameAt(probe: number, entry: number, other: number): boolean {
    const place = (places[other] ?? 0) + (places[probe] ?? 0) - (places[entry] ?? 0);
    if (place < 0) return false;
    const found = firstFrom(other, place);
    return files[found] === files[other] && places[found] === place && hashes[found] === hashes[probe];
  }

  /** The first entry from `low` up to `high` whose place is not before `place`. */
  function search(low: number, high: number, place: number): number {
    let from = low;
    let to = high;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((places[middle] ?? 0) < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
