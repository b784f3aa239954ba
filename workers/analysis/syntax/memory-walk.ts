/**
 * Walks a tree where it lies in the parser's memory, so that a node costs some loads instead of calls into WebAssembly.
 * `tree-walk.ts` holds this walk to the parser's cursor before anybody relies on it.
 */
import type { Tree, TreeCursor } from 'web-tree-sitter';
import type { NodePlace, PlaceVisitor, PlaceWalk } from './node-place.js';
import {
  ERROR_SYMBOL,
  HEAP,
  HEAP_EXTRA,
  HEAP_VISIBLE,
  half,
  INLINE,
  INLINE_EXTRA,
  INLINE_VISIBLE,
  LANGUAGE,
  look,
  type MemoryView,
  type ParserMemory,
  SLOT_BYTES,
  TREE,
  viewOf,
  word,
} from './parser-memory.js';

/** Texts are parsed as UTF-16. */
const UNIT_BYTES = 2;
/** For each node that shows there are one or two that do not; far more mean that the memory is misread. */
const MOST_RAW_A_NODE = 16;

/** What is known of an open node; a row of numbers for each, from the root down. */
const NUMBERS = 16;
const ADDRESS = 0;
const CHILDREN = 1;
const NEXT = 2;
/** The next child among those that are no extras. */
const NEXT_STRUCTURAL = 3;
/** Where the child before the next one ends. */
const BYTE = 4;
const ROW = 5;
const TYPE = 6;
const VISIBLE = 7;
const EXTRA = 8;
const STRUCTURAL = 9;
const START = 10;
const START_ROW = 11;
const END_ROW = 12;
/** Which of the nodes that show it is. */
const ORDINAL = 13;
const ALIASES = 14;
const FIRST_DEPTH = 512;

interface Walk extends MemoryView {
  open: Int32Array;
  /** Where the numbers of the node begin that the walk stands on; 0 is above the root. */
  at: number;
  /** How many nodes that show have been entered. */
  entered: number;
  language: number;
  names: readonly (string | null)[];
  tree: Tree | undefined;
  cursor: TreeCursor | undefined;
  /** Whether the parser was asked something, which may have made its memory grow. */
  isStale: boolean;
}

/** Walks the trees of one parser, one at a time. Throws a RangeError where memory does not read as a tree. */
export function createMemoryWalk(memory: ParserMemory): PlaceWalk {
  const walk: Walk = {
    ...viewOf(memory),
    ...{ open: new Int32Array(FIRST_DEPTH * NUMBERS), at: 0, entered: 0, language: 0, names: [] },
    ...{ tree: undefined, cursor: undefined, isStale: false },
  };
  const place = placeOf(walk);
  return (tree, visitor) => {
    const most = MOST_RAW_A_NODE * (tree.rootNode.descendantCount + 1);
    try {
      begin(walk, tree);
      visitor.enter(place);
      goOn(walk, place, { visitor, most });
    } finally {
      walk.cursor?.delete();
      walk.cursor = walk.tree = undefined;
    }
  };
}

function placeOf(walk: Walk): NodePlace {
  const get = (number: number) => walk.open[walk.at + number] ?? 0;
  return {
    get nodeTypeId() {
      return get(TYPE);
    },
    get fieldName() {
      return fieldName(walk);
    },
    get startIndex() {
      return get(START) / UNIT_BYTES;
    },
    get startRow() {
      return get(START_ROW);
    },
    get endRow() {
      return get(END_ROW);
    },
    node() {
      walk.cursor ??= walk.tree?.walk();
      if (walk.cursor === undefined) throw new TypeError('A node was asked for outside a walk.');
      walk.isStale = true;
      walk.cursor.gotoDescendant(get(ORDINAL));
      return walk.cursor.currentNode;
    },
  };
}

function begin(walk: Walk, tree: Tree): void {
  lookAgain(walk);
  const address = Number(Reflect.get(tree, 0));
  walk.tree = tree;
  walk.names = tree.language.fields;
  walk.language = word(walk, address + TREE.language);
  walk.entered = 1;
  walk.open.fill(0, 0, NUMBERS);
  // Like a sibling's, its padding counts.
  walk.open[NEXT] = 1;
  push(walk, address + TREE.root, 0);
  walk.open[walk.at + VISIBLE] = 1;
  walk.open[walk.at + ORDINAL] = 0;
}

function goOn(walk: Walk, place: NodePlace, { visitor, most }: { visitor: PlaceVisitor; most: number }): void {
  const { dullLeaves } = visitor;
  for (let raw = 0; walk.at > 0; ) {
    if (walk.isStale) lookAgain(walk);
    const { open, at } = walk;
    const left = (open[at + CHILDREN] ?? 0) - (open[at + NEXT] ?? 0);
    if (left <= 0) {
      if (open[at + VISIBLE] === 1) visitor.leave(place);
      walk.at -= NUMBERS;
      continue;
    }
    const slot = (open[at + ADDRESS] ?? 0) - SLOT_BYTES * left;
    raw += 1;
    if (dullLeaves && pass(walk, slot, dullLeaves)) continue;
    push(walk, slot, at);
    if (raw > most) throw new RangeError('The memory of the parser does not read as a tree.');
    if (walk.open[walk.at + VISIBLE] === 0) continue;
    walk.open[walk.at + ORDINAL] = walk.entered;
    walk.entered += 1;
    visitor.enter(place);
  }
}

function lookAgain(walk: Walk): void {
  look(walk);
  walk.isStale = false;
}

/** Passes over the node in a slot if it lies there itself and is a dull leaf; most nodes are. */
function pass(walk: Walk, slot: number, dullLeaves: Uint8Array): boolean {
  const { open, at } = walk;
  const head = word(walk, slot);
  const structural = open[at + NEXT_STRUCTURAL] ?? 0;
  if ((head & INLINE) === 0 || aliasOf(walk, open[at + ALIASES] ?? 0, structural) !== 0) return false;
  if (dullLeaves[publicSymbol(walk, (head >>> 8) & 0xff)] === 0) return false;
  const size = word(walk, slot + 4);
  if (open[at + NEXT] !== 0) {
    open[at + BYTE] = (open[at + BYTE] ?? 0) + ((size >>> 16) & 0xff);
    open[at + ROW] = (open[at + ROW] ?? 0) + ((size >>> 8) & 0x0f);
  }
  open[at + BYTE] = (open[at + BYTE] ?? 0) + (size >>> 24);
  open[at + NEXT] = (open[at + NEXT] ?? 0) + 1;
  if ((head & INLINE_EXTRA) === 0) open[at + NEXT_STRUCTURAL] = structural + 1;
  if ((head & INLINE_VISIBLE) !== 0) walk.entered += 1;
  return true;
}

/** Opens the node in a slot; `parent` is where the numbers of its parent begin. */
function push(walk: Walk, slot: number, parent: number): void {
  const head = word(walk, slot);
  const isInline = (head & INLINE) !== 0;
  const flags = isInline ? head : (walk.bytes[head + HEAP.flags] ?? 0);
  const extra = (flags & (isInline ? INLINE_EXTRA : HEAP_EXTRA)) !== 0;
  const shows = (flags & (isInline ? INLINE_VISIBLE : HEAP_VISIBLE)) !== 0;
  const at = parent + NUMBERS;
  walk.at = at;
  if (at + NUMBERS > walk.open.length) grow(walk);
  const { open } = walk;
  const structural = open[parent + NEXT_STRUCTURAL] ?? 0;
  const alias = extra ? 0 : aliasOf(walk, open[parent + ALIASES] ?? 0, structural);
  const symbol = alias || (isInline ? (head >>> 8) & 0xff : half(walk, head + HEAP.symbol));
  open[parent + NEXT_STRUCTURAL] = extra ? structural : structural + 1;
  open[at + STRUCTURAL] = structural;
  open[at + EXTRA] = extra ? 1 : 0;
  open[at + VISIBLE] = shows || alias !== 0 ? 1 : 0;
  open[at + TYPE] = publicSymbol(walk, symbol);
  if (isInline) placeInline(open, word(walk, slot + 4), parent);
  else placeHeap(walk, head, parent);
  open[parent + NEXT] = (open[parent + NEXT] ?? 0) + 1;
  open[parent + ROW] = open[at + END_ROW] ?? 0;
}

function aliasOf(walk: Walk, aliases: number, structural: number): number {
  return aliases === 0 ? 0 : half(walk, aliases + 2 * structural);
}

function publicSymbol(walk: Walk, symbol: number): number {
  if (symbol === ERROR_SYMBOL) return symbol;
  return half(walk, word(walk, walk.language + LANGUAGE.publicSymbols) + 2 * symbol);
}

function placeInline(open: Int32Array, size: number, parent: number): void {
  const at = parent + NUMBERS;
  const isFirst = open[parent + NEXT] === 0;
  const start = (open[parent + BYTE] ?? 0) + (isFirst ? 0 : (size >>> 16) & 0xff);
  const row = (open[parent + ROW] ?? 0) + (isFirst ? 0 : (size >>> 8) & 0x0f);
  open[at + CHILDREN] = 0;
  open[at + NEXT] = 0;
  open[at + START] = start;
  open[at + START_ROW] = row;
  open[at + END_ROW] = row;
  open[parent + BYTE] = start + (size >>> 24);
}

function placeHeap(walk: Walk, address: number, parent: number): void {
  const { open, at, language } = walk;
  const isFirst = open[parent + NEXT] === 0;
  const start = (open[parent + BYTE] ?? 0) + (isFirst ? 0 : word(walk, address + HEAP.paddingBytes));
  const row = (open[parent + ROW] ?? 0) + (isFirst ? 0 : word(walk, address + HEAP.paddingRows));
  const production = half(walk, address + HEAP.production);
  const aliases = word(walk, language + LANGUAGE.aliases) + 2 * production * half(walk, language + LANGUAGE.longest);
  open[at + ADDRESS] = address;
  open[at + CHILDREN] = word(walk, address + HEAP.children);
  open[at + NEXT] = 0;
  open[at + NEXT_STRUCTURAL] = 0;
  open[at + ALIASES] = production === 0 ? 0 : aliases;
  open[at + BYTE] = start;
  open[at + ROW] = row;
  open[at + START] = start;
  open[at + START_ROW] = row;
  open[at + END_ROW] = row + word(walk, address + HEAP.rows);
  open[parent + BYTE] = start + word(walk, address + HEAP.bytes);
}

function grow(walk: Walk): void {
  const larger = new Int32Array(2 * walk.open.length);
  larger.set(walk.open);
  walk.open = larger;
}

/** As the parser's cursor finds it: what the nearest node that shows calls its child, or a hidden one in between does. */
function fieldName(walk: Walk): string | undefined {
  const { open, at, language, names } = walk;
  if (word(walk, language + LANGUAGE.fields) === 0) return undefined;
  for (let here = at; here > NUMBERS; here -= NUMBERS) {
    if (here !== at && open[here + VISIBLE] === 1) return undefined;
    if (open[here + EXTRA] === 1) return undefined;
    const field = fieldOf(walk, open[here - NUMBERS + ADDRESS] ?? 0, open[here + STRUCTURAL] ?? 0);
    if (field !== 0) return names[field] ?? undefined;
  }
  return undefined;
}

function fieldOf(walk: Walk, parent: number, structural: number): number {
  const slice = word(walk, walk.language + LANGUAGE.fieldSlices) + 4 * half(walk, parent + HEAP.production);
  const first = word(walk, walk.language + LANGUAGE.fieldEntries) + 4 * half(walk, slice);
  const end = first + 4 * half(walk, slice + 2);
  for (let entry = first; entry < end; entry += 4) {
    const isInherited = walk.bytes[entry + 3] !== 0;
    if (!isInherited && walk.bytes[entry + 2] === structural) return half(walk, entry);
  }
  return 0;
}
