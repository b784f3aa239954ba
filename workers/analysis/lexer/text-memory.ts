/** Memory for texts in which the SIMD scanner can read; where there is no such scanner it is memory like any other. */
import { readFileSync } from 'node:fs';
import type { Lexer } from './compile.js';
import { layOutTables } from './simd-tables.js';

const PAGE = 1 << 16;
/** The scanner's results lie at the start, then the tables of the languages met so far, then the text. */
const RESULT_BYTES = 64;
const TABLES_END = 4 * PAGE;
/** Files are read into memory that begins where no page does: what lies alike in page and cache is copied slower by some processors. */
const TEXT_START = TABLES_END + 64;
/** The scanner reads in blocks and so beyond the end of a text. */
const SLACK = 128;
/** Addresses are compared as signed numbers. */
const LONGEST_TEXT = 2 ** 31 - TEXT_START - PAGE;

/** Memory for one text at a time. */
export interface TextMemory {
  /** Room for `size` bytes, empty or as it was left; what was given before is void. */
  room(size: number): Buffer;
}

/** What the scanner stopped for. */
export const ENDED = 0;
/** A token stands at the cursor that is to be read by others. */
export const MET_TOKEN = 1;
/** The line ends on which something was announced. */
export const ENDED_LINE = 2;

/** Where the results of a scan lie, four bytes each. */
export const RESULT = { at: 0, line: 1, lineStart: 2, code: 3, comments: 4, blanks: 5, depth: 6, scalar: 7 } as const;
/** Flags of a scan: tell the end of the line, for a here-document; strings wait for an expression within them to end. */
export const ANNOUNCED = 1;
export const FRAMED = 2;

/** As much of it as is used here; the types of Node name it nowhere. Absent where it is switched off. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { lexer: { memory: WasmMemory } },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
type WasmModule = object;

type ScanFunction = (...numbers: number[]) => number;

/** The scanner over one memory. */
export interface SimdScanner {
  /** The address of the text memory's first byte. */
  readonly first: number;
  readonly results: Int32Array;
  /** Of the tables, where text and cursor stand, line flags, start of the line, depth, flags, start of the part, `first`, scalar. */
  readonly scan: ScanFunction;
  /** Where the tables of a language lie; they are laid out when first asked for. */
  tablesOf(lexer: Lexer): number;
}

const scanners = new WeakMap<ArrayBufferLike, () => SimdScanner | undefined>();
let compiled: WasmModule | null | undefined;

/** The scanner that can read these bytes where they lie, if there is one. */
export function scannerOf({ buffer, byteOffset }: Uint8Array): SimdScanner | undefined {
  return byteOffset === TEXT_START ? scanners.get(buffer)?.() : undefined;
}

/** Creates memory for texts. */
export function createTextMemory(): TextMemory {
  const memory = newMemory();
  const scanner = memory && createScanner(memory);

  return {
    room(size) {
      if (memory === undefined || scanner === undefined || !growTo(memory, size)) return Buffer.allocUnsafeSlow(size);
      scanners.set(memory.buffer, scanner);
      return Buffer.from(memory.buffer, TEXT_START, size);
    },
  };
}

/** Address space may be limited, and WebAssembly switched off. */
function newMemory(): WasmMemory | undefined {
  try {
    return new WebAssembly.Memory({ initial: (TABLES_END + PAGE) / PAGE });
  } catch {
    return undefined;
  }
}

function growTo(memory: WasmMemory, size: number): boolean {
  const missing = TEXT_START + size + SLACK - memory.buffer.byteLength;
  if (size > LONGEST_TEXT) return false;
  try {
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return true;
  } catch {
    return false;
  }
}

function createScanner(memory: WasmMemory): () => SimdScanner | undefined {
  const addresses = new Map<Lexer, number>();
  let free = RESULT_BYTES;
  let scan: ScanFunction | null | undefined;
  let last: SimdScanner | undefined;

  function tablesOf(lexer: Lexer): number {
    const known = addresses.get(lexer);
    if (known !== undefined) return known;
    let tables = layOutTables(lexer, free);
    if (free + tables.length > TABLES_END) {
      // There are more languages than room: those met from here on take the place of all before.
      addresses.clear();
      free = RESULT_BYTES;
      tables = layOutTables(lexer, free);
    }
    const address = free;
    new Uint8Array(memory.buffer).set(tables, address);
    addresses.set(lexer, address);
    free = align(address + tables.length);
    return address;
  }

  return () => {
    if (scan === undefined) scan = instantiate(memory);
    if (scan === null) return undefined;
    if (last?.results.buffer === memory.buffer) return last;
    last = { first: TEXT_START, results: new Int32Array(memory.buffer, 0, RESULT_BYTES / 4), scan, tablesOf };
    return last;
  };
}

function align(address: number): number {
  return (address + 15) & ~15;
}

function instantiate(memory: WasmMemory): ScanFunction | null {
  compiled ??= compileModule();
  if (compiled === null) return null;
  const { scan } = new WebAssembly.Instance(compiled, { lexer: { memory } }).exports;
  return typeof scan === 'function' ? (scan as ScanFunction) : null;
}

/** A processor without SIMD refuses to compile it. */
function compileModule(): WasmModule | null {
  try {
    return new WebAssembly.Module(readFileSync(moduleFile()));
  } catch {
    return null;
  }
}

/** What `npm run build` has made: under a test runner that serves TypeScript sources it lies in `dist`. */
function moduleFile(): URL {
  const here = import.meta.url;
  const folder = here.endsWith('.js') ? here : new URL('../../../dist/workers/analysis/lexer/', here);
  return new URL('simd-scan.wasm', folder);
}
