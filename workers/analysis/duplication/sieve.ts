/** Tells fingerprints that occur once from those that may occur again, in memory that does not grow with the tree. */
import { mix } from './token-hash.js';

/** Memory shared by all threads; whatever the order in which they add, its end state is the same. */
export interface SieveMemory {
  readonly seen: readonly [Int32Array, Int32Array];
  readonly again: readonly [Int32Array, Int32Array];
}

/** A sieve over shared memory. */
export interface Sieve {
  add(hash: number): void;
  /** Whether `hash` was added twice; seldom true for one that was added once, never false for one that was. */
  repeats(hash: number): boolean;
}

const SALT = 0x5bd1e995;
const PLANES = 4;
const FEWEST_BITS = 18;
const MOST_BITS = 27;
/** Bits for each file: sixteen for each of the fingerprints that a file of the usual size has. */
const BITS_PER_FILE = 1 << 11;

/** What a sieve for the fingerprints of so many files takes: at most 64 MiB. */
export function bytesOfSieve(files: number): number {
  return PLANES * planeBytes(files);
}

/** Lays a sieve at the start of a memory of zeros that has the room. */
export function createSieveMemory(files: number, memory: SharedArrayBuffer): SieveMemory {
  const bytes = planeBytes(files);
  const plane = (index: number) => new Int32Array(memory, index * bytes, bytes / Int32Array.BYTES_PER_ELEMENT);
  return { seen: [plane(0), plane(1)], again: [plane(2), plane(3)] };
}

function planeBytes(files: number): number {
  const wanted = Math.ceil(Math.log2(Math.max(1, files * BITS_PER_FILE)));
  return 2 ** Math.min(MOST_BITS, Math.max(FEWEST_BITS, wanted)) / 8;
}

/** Opens a sieve. Each of two planes alone says whether a bit was met before; only both together say so of a hash. */
export function openSieve({ seen, again }: SieveMemory): Sieve {
  const mask = seen[0].length * 32 - 1;

  function add(hash: number): void {
    note(seen[0], again[0], hash & mask);
    note(seen[1], again[1], mix(hash ^ SALT) & mask);
  }

  function repeats(hash: number): boolean {
    return holds(again[0], hash & mask) && holds(again[1], mix(hash ^ SALT) & mask);
  }

  return { add, repeats };
}

/** The first to set a bit finds it unset, whoever that is; so the second plane does not depend on the order. */
function note(seen: Int32Array, again: Int32Array, bit: number): void {
  const flag = 1 << (bit & 31);
  if ((Atomics.or(seen, bit >>> 5, flag) & flag) !== 0) Atomics.or(again, bit >>> 5, flag);
}

function holds(plane: Int32Array, bit: number): boolean {
  return ((plane[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
}
