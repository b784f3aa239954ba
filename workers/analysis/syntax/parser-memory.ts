/**
 * The form in which the parser keeps trees, which is its own affair: that of `lib/src/subtree.h`, `tree.h` and `parser.h` of
 * tree-sitter 0.27, with pointers of four bytes.
 */

/** Where things lie in a tree, in bytes. */
export const TREE = { root: 0, language: 8 };
/** The same in a node on the heap. */
export const HEAP = {
  paddingBytes: 4,
  paddingRows: 8,
  bytes: 16,
  rows: 20,
  children: 36,
  symbol: 40,
  flags: 44,
  production: 66,
};
/** The same in a language. */
export const LANGUAGE = { fields: 32, longest: 36, fieldSlices: 64, fieldEntries: 68, publicSymbols: 76, aliases: 84 };
/** A child in its parent's list: the address of its node, or the node itself. */
export const SLOT_BYTES = 8;
/** Flags in the first byte of a node in its slot; an address has the first of them never. */
export const INLINE = 1;
/** See `INLINE`. */
export const INLINE_VISIBLE = 2;
/** See `INLINE`: a comment, or what else may stand anywhere. */
export const INLINE_EXTRA = 8;
/** Flags of a node on the heap. */
export const HEAP_VISIBLE = 1;
/** See `HEAP_VISIBLE`. */
export const HEAP_EXTRA = 4;
/** The number of ERROR nodes, which no table maps. */
export const ERROR_SYMBOL = 0xffff;

/** The memory that the parser was given. */
export interface ParserMemory {
  readonly buffer: ArrayBuffer;
}

/** That memory as numbers. */
export interface MemoryView {
  readonly memory: ParserMemory;
  words: Int32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
}

/** A view of a memory as it is now. */
export function viewOf(memory: ParserMemory): MemoryView {
  const { buffer } = memory;
  return { memory, words: new Int32Array(buffer), halves: new Uint16Array(buffer), bytes: new Uint8Array(buffer) };
}

/** Looks again: memory that has grown is another buffer. */
export function look(view: MemoryView): void {
  if (view.words.buffer !== view.memory.buffer) Object.assign(view, viewOf(view.memory));
}

/** The four bytes at an address. */
export function word({ words }: MemoryView, address: number): number {
  return words[address >>> 2] ?? 0;
}

/** The two bytes at an address. */
export function half({ halves }: MemoryView, address: number): number {
  return halves[address >>> 1] ?? 0;
}
