/** Looks for time that grows faster than the text, by doubling a text that took long and measuring the processor alone. */
import { faultsOf } from './target.js';

/** Below this an input says nothing. */
const SUSPECT_MS_PER_KIB = 0.2;
const LEAST_SUSPECT_MS = 5;
/** What is repeated of an input. */
const MOST_BYTES = 1 << 16;
/** A text eight times as long may take four times more than that; a quadratic reader takes eight times more. */
const FACTOR = 8;
/** No text of `MOST_BYTES` may take longer; the slowest take a tenth of it. */
const TOO_SLOW_MS = 400;
const BOUND = 4 * FACTOR;

/** What a measurement found, for the report. */
export interface Growth {
  readonly bytes: number;
  readonly ms: number;
  readonly longerMs: number;
}

/**
 * How an input's time grows when it is repeated, or undefined where that is in proportion. Only an input that takes
 * suspiciously long is repeated at all, and one that fails is tried once more at eight times the size: noise does not
 * grow along, a quadratic reader does.
 */
export function superLinear(name: string, bytes: Buffer): Growth | undefined {
  const once = leastMs(name, bytes, 1);
  // What is quadratic in a bounded part, such as the head of a file, does not grow: it is just too slow.
  if (once > TOO_SLOW_MS && bytes.length <= MOST_BYTES) {
    const ms = leastMs(name, bytes, 3);
    if (ms > TOO_SLOW_MS) return { bytes: bytes.length, ms, longerMs: leastMs(name, repeat(bytes, FACTOR), 1) };
  }
  if (once < Math.max(LEAST_SUSPECT_MS, (SUSPECT_MS_PER_KIB * bytes.length) / 1024)) return undefined;
  const piece = bytes.subarray(0, MOST_BYTES);
  const growth = grow(name, piece);
  if (growth.longerMs <= BOUND * growth.ms) return undefined;
  const again = grow(name, repeat(piece, FACTOR));
  return again.longerMs > BOUND * again.ms ? again : undefined;
}

function grow(name: string, bytes: Buffer): Growth {
  return { bytes: bytes.length, ms: leastMs(name, bytes, 3), longerMs: leastMs(name, repeat(bytes, FACTOR), 2) };
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}

/** The least processor time of some rounds, in milliseconds. */
function leastMs(name: string, bytes: Buffer, rounds: number): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    faultsOf(name, bytes);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
