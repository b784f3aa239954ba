/**
 * Tells two places apart without reading their files: a clone has some tokens more than the fingerprint within it, so at
 * least half of these stand on one side of it, and are the same there.
 */
import type { Grain } from './fingerprints.js';
import { mix } from './token-hash.js';
import type { Tokens } from './tokens.js';

const HALF = 0xffff;

/** Sixteen bits each for the tokens before and behind the run at `place`. */
export function sidesOf({ count, hashes }: Tokens, place: number, { minTokens, run }: Grain): number {
  const width = Math.ceil((minTokens - run) / 2);
  const before = hashRange(hashes, Math.max(0, place - width), place);
  const behind = hashRange(hashes, place + run, Math.min(count, place + run + width));
  return ((before & HALF) | (behind << 16)) >>> 0;
}

/** Whether two runs that are the same may lie in a clone; false only where they do not. */
export function mayBeAlike(sides: number, others: number): boolean {
  const difference = sides ^ others;
  return (difference & HALF) === 0 || difference >>> 16 === 0;
}

function hashRange(hashes: Uint32Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash, 0x01000193) ^ (hashes[at] ?? 0);
  return mix(hash);
}
