/** Carries matches between threads as rows of numbers. */
import type { Match, Stretch } from './matches.js';

/** Two equal stretches of `tokens` tokens; `there` comes first in the order of files and places. */
export interface Pair {
  readonly tokens: number;
  readonly here: Stretch;
  readonly there: Stretch;
}

const STRETCH_WORDS = 6;
const PAIR_WORDS = 1 + 2 * STRETCH_WORDS;

/** Rows of pairs, thirteen numbers each. */
export type PackedPairs = Uint32Array<ArrayBuffer>;

/** Packs matches. */
export function packPairs(matches: readonly Match[]): PackedPairs {
  const rows = matches.flatMap(({ length, here, there }) => [length, ...words(here), ...words(there)]);
  return Uint32Array.from(rows);
}

/** How many pairs the rows hold. */
export function countPairs(packed: PackedPairs): number {
  return packed.length / PAIR_WORDS;
}

/** Unpacks one pair. */
export function pairAt(packed: PackedPairs, index: number): Pair {
  const at = index * PAIR_WORDS;
  return { tokens: packed[at] ?? 0, here: stretchAt(packed, at + 1), there: stretchAt(packed, at + 1 + STRETCH_WORDS) };
}

/** Rows of many as one. */
export function joinPairs(packed: readonly PackedPairs[]): PackedPairs {
  const all = new Uint32Array(packed.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of packed) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}

/** Where in the rows the later stretch of a pair lies. */
export function hereOf(pair: number): number {
  return pair * PAIR_WORDS + 1;
}

/** Where in the rows the earlier stretch of a pair lies. */
export function thereOf(pair: number): number {
  return pair * PAIR_WORDS + 1 + STRETCH_WORDS;
}

/** The length of a pair. */
export function tokensAt(packed: PackedPairs, pair: number): number {
  return packed[pair * PAIR_WORDS] ?? 0;
}

/** The file of the stretch that lies at `at`. */
export function fileAt(packed: PackedPairs, at: number): number {
  return packed[at] ?? 0;
}

/** Its first token. */
export function startAt(packed: PackedPairs, at: number): number {
  return packed[at + 1] ?? 0;
}

/** Its first line, among those that hold tokens. */
export function firstLineAt(packed: PackedPairs, at: number): number {
  return packed[at + 4] ?? 0;
}

/** How many lines of it hold tokens. */
export function linesAt(packed: PackedPairs, at: number): number {
  return (packed[at + 5] ?? 0) - (packed[at + 4] ?? 0) + 1;
}

function words({ file, start, startLine, endLine, firstCodeLine, lastCodeLine }: Stretch): number[] {
  return [file, start, startLine, endLine, firstCodeLine, lastCodeLine];
}

function stretchAt(packed: PackedPairs, at: number): Stretch {
  const word = (offset: number) => packed[at + offset] ?? 0;
  return {
    file: word(0),
    start: word(1),
    startLine: word(2),
    endLine: word(3),
    firstCodeLine: word(4),
    lastCodeLine: word(5),
  };
}
