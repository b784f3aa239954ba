/** Parses text into syntax trees within limits of work and memory; holds the WebAssembly of one thread. */
import { fileURLToPath } from 'node:url';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import type { PlaceWalk } from './node-place.js';
import { createTreeWalk } from './tree-walk.js';

/** The part of WebAssembly used here; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  RuntimeError: new (message?: string) => Error;
};

/** What the parser's own module asks for at its start. */
const FIRST_PAGES = 512;
/** A parse that needs more memory fails; ten times what a dense MiB of source takes. */
const MOST_PAGES = 4096;
/** Past this much memory, which WebAssembly never gives back, the thread is to be replaced. */
const WORN_BYTES = 112 * 1024 * 1024;

/** Why a text has no tree. */
export type ParseFailure = 'too_complex' | 'crashed';

/** Parses one text after another. */
export interface TreeParser {
  /** Loads a grammar unless it is there; throws when its file cannot be loaded. */
  load(grammar: string): Promise<void>;
  /** Hands the tree of a text to `visit` and frees it afterwards. A failure of either, and of the parser itself, is returned. */
  parse<T>(text: string, options: ParseTask<T>): T | ParseFailure;
  /** Whether the memory is too large or the parser has crashed: such a thread should not be asked again. */
  isWorn(): boolean;
}

/** How to parse a text, and what to do with its tree. */
export interface ParseTask<T> {
  /** A grammar that has been loaded. */
  readonly grammar: string;
  /** The most steps that parsing may take: after each, a hundred operations, the parser asks whether to go on. */
  readonly maxSteps: number;
  readonly visit: (tree: Tree, walk: PlaceWalk) => T;
}

/** Starts the parser of this thread. */
export async function createTreeParser(): Promise<TreeParser> {
  const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  const silent = () => {};
  await Parser.init({ wasmMemory: memory, print: silent, printErr: silent });
  const parser = new Parser();
  const walk = createTreeWalk(memory);
  const loaded = new Map<string, Language>();
  let crashed = false;

  async function load(grammar: string): Promise<void> {
    if (!loaded.has(grammar)) loaded.set(grammar, await Language.load(fileURLToPath(import.meta.resolve(grammar))));
  }

  function parse<T>(text: string, { grammar, maxSteps, visit }: ParseTask<T>): T | ParseFailure {
    let tree: Tree | null | undefined;
    try {
      parser.setLanguage(loaded.get(grammar) ?? null);
      tree = parseWithin(parser, text, maxSteps);
      return tree === null ? 'too_complex' : visit(tree, walk);
    } catch (error) {
      // An abort within WebAssembly surfaces as one of these and leaves its memory in no known state.
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      crashed = true;
      return 'crashed';
    } finally {
      if (!crashed) tree?.delete();
    }
  }

  return { load, parse, isWorn: () => crashed || memory.buffer.byteLength > WORN_BYTES };
}

/**
 * The tree, or null when it takes more steps; the parser is then as good as new. Steps are the same however busy the machine
 * is, and so is what comes of a text.
 */
function parseWithin(parser: Parser, text: string, maxSteps: number): Tree | null {
  let steps = 0;
  const isTooMuch = () => {
    steps += 1;
    return steps > maxSteps;
  };
  const tree = parser.parse(text, null, { progressCallback: isTooMuch });
  if (tree === null) parser.reset();
  return tree;
}
