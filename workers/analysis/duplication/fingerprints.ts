/**
 * Chooses the fingerprints of a token sequence by winnowing: of every `minTokens` tokens in a row one run of a fixed
 * length is chosen by its content alone, so that two equal stretches of that many tokens share at least one.
 * S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003.
 */
import { mix } from './token-hash.js';
import type { Tokens } from './tokens.js';

/** How a text is fingerprinted; derived from the least number of tokens of a clone. */
export interface Grain {
  /** The least number of tokens of a clone: any stretch of so many has a fingerprint. */
  readonly minTokens: number;
  /** How many tokens a fingerprint stands for. */
  readonly run: number;
  /** How many runs lie in a stretch of `minTokens`. */
  readonly window: number;
  /** A run that repeats itself with a period up to this is a table and never chosen. */
  readonly longestPeriod: number;
}

/** Hears of a chosen run: its hash and the index of its first token. */
export type OnFingerprint = (hash: number, place: number) => void;

/** The share of `minTokens` that a fingerprint stands for: longer ones are rarer by chance, shorter ones sparser in the text. */
const RUN_SHARE = 0.6;
const LONGEST_PERIOD = 8;
const BASE = 0x9e3779b1;
/** Above every hash: of no use as a fingerprint. */
const NEVER = 2 ** 32;

/** The grain for clones of at least `minTokens` tokens. */
export function grainOf(minTokens: number): Grain {
  const run = Math.max(1, Math.floor(RUN_SHARE * minTokens));
  return { minTokens, run, window: minTokens - run + 1, longestPeriod: Math.min(LONGEST_PERIOD, run >> 1) };
}

/** Finds the fingerprints of one text after another. */
export interface Fingerprinter {
  /** Calls `onFingerprint` in ascending order of places; `seed` keeps the languages apart. */
  find(tokens: Tokens, seed: number, onFingerprint: OnFingerprint): void;
}

/** Creates a fingerprinter. */
export function createFingerprinter(grain: Grain): Fingerprinter {
  const { run, window } = grain;
  const recent = new Float64Array(window);
  const leaving = powerOf(run);

  function find({ count, hashes }: Tokens, seed: number, onFingerprint: OnFingerprint): void {
    let rolling = 0;
    let best = -1;
    let bestValue = NEVER;
    let chosen = -1;
    for (let at = 0; at < count; at += 1) {
      rolling = (Math.imul(rolling, BASE) + (hashes[at] ?? 0)) | 0;
      if (at >= run) rolling = (rolling - Math.imul(hashes[at - run] ?? 0, leaving)) | 0;
      const place = at - run + 1;
      if (place < 0) continue;
      const value = mix(rolling ^ seed);
      recent[place % window] = value;
      if (best >= 0 && best <= place - window) {
        best = least(recent, { hashes, last: place }, grain);
        bestValue = best < 0 ? NEVER : (recent[best % window] ?? NEVER);
      } else if (value <= bestValue) {
        if (isTable(hashes, place, grain)) recent[place % window] = NEVER;
        else {
          best = place;
          bestValue = value;
        }
      }
      if (best === chosen || best < 0 || place < window - 1) continue;
      chosen = best;
      onFingerprint(bestValue, best);
    }
  }

  return { find };
}

/** The last of the least runs of the window that ends at `last`; -1 where all of them are tables. */
function least(recent: Float64Array, { hashes, last }: { hashes: Uint32Array; last: number }, grain: Grain): number {
  const { window } = grain;
  for (;;) {
    let best = -1;
    let bestValue = NEVER;
    for (let place = Math.max(0, last - window + 1); place <= last; place += 1) {
      const value = recent[place % window] ?? NEVER;
      if (value > bestValue || value === NEVER) continue;
      best = place;
      bestValue = value;
    }
    if (best < 0 || !isTable(hashes, best, grain)) return best;
    recent[best % window] = NEVER;
  }
}

/** Whether the run at `place` merely repeats itself, as the rows of a table do. */
function isTable(hashes: Uint32Array, place: number, { run, longestPeriod }: Grain): boolean {
  for (let period = 1; period <= longestPeriod; period += 1) {
    const last = place + run - period;
    let at = place;
    while (at < last && hashes[at] === hashes[at + period]) at += 1;
    if (at === last) return true;
  }
  return false;
}

function powerOf(exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i += 1) power = Math.imul(power, BASE);
  return power;
}
