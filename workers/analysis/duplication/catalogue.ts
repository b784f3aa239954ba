/** The repeated fingerprints of all files, in shared memory: written file by file, then ordered so that equals stand together. */

/** The shared memory of a catalogue of at most `hashes.length` entries. */
export interface CatalogueMemory {
  /** One entry a fingerprint; those of one file stand together in ascending order of places. */
  readonly hashes: Uint32Array;
  readonly files: Uint32Array;
  readonly places: Uint32Array;
  /** What stands on either side, see `sides.ts`. */
  readonly sides: Uint32Array;
  /** All entries by hash, of equal hashes by file and place. */
  readonly order: Uint32Array;
  /** By entry: where in `order` its hash begins. */
  readonly heads: Uint32Array;
  /** By file: its first entry, and how many it has. */
  readonly firsts: Uint32Array;
  readonly counts: Uint32Array;
  /** How many entries were asked for so far. */
  readonly taken: Int32Array;
}

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;

/** What the order of so many entries takes. */
export function bytesOfOrder(mostEntries: number): number {
  return 2 * WORD_BYTES * mostEntries;
}

/**
 * Allocates a catalogue; memory that is never written to costs nothing. `later` has room for the order, and may hold anything until
 * the catalogue is ordered.
 */
export function createCatalogueMemory(files: number, mostEntries: number, later: SharedArrayBuffer): CatalogueMemory {
  const words = (length: number) => new Uint32Array(new SharedArrayBuffer(WORD_BYTES * length));
  return {
    hashes: words(mostEntries),
    files: words(mostEntries),
    places: words(mostEntries),
    sides: words(mostEntries),
    order: new Uint32Array(later, 0, mostEntries),
    heads: new Uint32Array(later, WORD_BYTES * mostEntries, mostEntries),
    firsts: words(files),
    counts: words(files),
    taken: new Int32Array(new SharedArrayBuffer(4)),
  };
}

/** One file's fingerprints, to be entered. */
export interface FileEntries {
  readonly file: number;
  readonly hashes: readonly number[];
  readonly places: readonly number[];
  readonly sides: readonly number[];
}

/** Enters a file; false, with nothing written, when there is no room. Threads may enter files at the same time. */
export function enterFile(catalogue: CatalogueMemory, { file, hashes, places, sides }: FileEntries): boolean {
  const { length } = hashes;
  const first = Atomics.add(catalogue.taken, 0, length);
  if (first + length > catalogue.hashes.length) return false;
  catalogue.hashes.set(hashes, first);
  catalogue.places.set(places, first);
  catalogue.sides.set(sides, first);
  catalogue.files.fill(file, first, first + length);
  catalogue.firsts[file] = first;
  catalogue.counts[file] = length;
  return true;
}

/** Empties a catalogue. */
export function clearCatalogue({ counts, taken }: CatalogueMemory): void {
  counts.fill(0);
  Atomics.store(taken, 0, 0);
}

/** Orders a full catalogue: a radix sort that keeps the order of files, and so does not depend on who entered first. */
export function orderCatalogue(catalogue: CatalogueMemory): void {
  const { hashes, order, heads, taken } = catalogue;
  const total = taken[0] ?? 0;
  inFileOrder(catalogue, order);
  sortByDigit({ keys: hashes, shift: 0, from: order, to: heads, total });
  sortByDigit({ keys: hashes, shift: DIGIT_BITS, from: heads, to: order, total });
  let head = 0;
  for (let at = 0; at < total; at += 1) {
    const entry = order[at] ?? 0;
    if (hashes[entry] !== hashes[order[head] ?? 0]) head = at;
    heads[entry] = head;
  }
}

function inFileOrder({ firsts, counts }: CatalogueMemory, order: Uint32Array): void {
  let at = 0;
  for (let file = 0; file < counts.length; file += 1) {
    const first = firsts[file] ?? 0;
    const end = first + (counts[file] ?? 0);
    for (let entry = first; entry < end; entry += 1) order[at++] = entry;
  }
}

interface Digit {
  readonly keys: Uint32Array;
  readonly shift: number;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly total: number;
}

function sortByDigit({ keys, shift, from, to, total }: Digit): void {
  const starts = new Uint32Array(DIGITS + 1);
  const digit = (entry: number) => ((keys[entry] ?? 0) >>> shift) & (DIGITS - 1);
  for (let at = 0; at < total; at += 1) {
    const next = digit(from[at] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let i = 1; i <= DIGITS; i += 1) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
  for (let at = 0; at < total; at += 1) {
    const entry = from[at] ?? 0;
    const key = digit(entry);
    const target = starts[key] ?? 0;
    to[target] = entry;
    starts[key] = target + 1;
  }
}
