/** The state of one scan over a buffer, and the few operations every token reader shares. */

import { endOfLine, NEWLINE, skipSpace } from './bytes.js';
import type { Lexer, Token } from './compile.js';
import type { Spans } from './spans.js';
import { type SimdScanner, scannerOf } from './text-memory.js';

/** Line flags: what a line has been seen to hold. */
export const COMMENT = 1;
/** The line holds code; outweighs COMMENT. */
export const CODE = 2;

/** An open string whose embedded expression is being read. */
export interface Frame {
  readonly token: Token;
  readonly depth: number;
}

/** A here-document announced on the current line, whose body starts on the next. */
export interface Heredoc {
  readonly word: Uint8Array;
  readonly indented: boolean;
}

/** The lines of one language within a text of another. */
export interface PartCounts {
  readonly language: string;
  code: number;
  comments: number;
  blanks: number;
}

/** Mutable scan state; `bytes[end]` is always a newline, so inner loops need no bounds check. */
export interface Scan {
  readonly bytes: Uint8Array;
  /** The same memory two bytes at a time; empty where it does not start at an even address, or nobody reads it so. */
  readonly words: Uint16Array;
  /** The scanner that can read `bytes` faster, unless somebody is to hear of comments and literals. */
  readonly simd: SimdScanner | undefined;
  end: number;
  at: number;
  lineStart: number;
  line: number;
  code: number;
  comments: number;
  blanks: number;
  lexer: Lexer;
  /** Where the text, or the part of it that is being read, begins. */
  origin: number;
  /** Where the whole text ends; `end` is that of the part. */
  readonly textEnd: number;
  /** In how many parts of other languages the cursor stands, one within another. */
  nesting: number;
  /** The lines of such parts, which `code`, `comments` and `blanks` do not hold. */
  parts: Map<string, PartCounts> | undefined;
  depth: number;
  /** Whether the end of this line begins a here-document or a scalar. */
  announced: boolean;
  /** YAML: the indentation that the lines of an announced scalar must exceed, or -1. */
  scalar: number;
  readonly frames: Frame[];
  readonly heredocs: Heredoc[];
  /** How many bytes were looked ahead at in vain; past a bound nothing is looked ahead for, which keeps the scan linear. */
  wasted: number;
  /** Hears of comments and literals where somebody asked for them. */
  readonly spans: Spans | undefined;
}

/** The bytes a scan may look ahead at in vain before it takes every mark at its plain meaning. */
export const MOST_WASTED = 1 << 20;

/** What to scan: the text's place in its buffer, and who hears of its comments and literals. */
export interface ScanRange {
  readonly start: number;
  readonly end: number;
  readonly spans?: Spans | undefined;
}

/** Starts a scan of `bytes[start..end)`; the buffer must have room for one byte more. */
export function beginScan(bytes: Uint8Array, range: ScanRange, lexer: Lexer): Scan {
  const { start, end } = range;
  const simd = range.spans === undefined ? scannerOf(bytes) : undefined;
  return {
    bytes,
    words: simd === undefined ? wordsOf(bytes) : NO_WORDS,
    simd,
    end,
    at: start,
    lineStart: start,
    line: 0,
    code: 0,
    comments: 0,
    blanks: 0,
    lexer,
    origin: start,
    textEnd: end,
    nesting: 0,
    parts: undefined,
    depth: 0,
    announced: false,
    scalar: -1,
    frames: [],
    heredocs: [],
    wasted: 0,
    spans: range.spans,
  };
}

const NO_WORDS = new Uint16Array(0);

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint16Array {
  return byteOffset % 2 === 0 ? new Uint16Array(buffer, byteOffset, length >>> 1) : NO_WORDS;
}

/** Books the line that ends at the newline `at`; the next one starts out holding `carried`. */
export function breakLine(scan: Scan, at: number, carried: number): void {
  const { line } = scan;
  if (line >= CODE) scan.code += 1;
  else if (line === COMMENT) scan.comments += 1;
  else scan.blanks += 1;
  scan.line = carried;
  scan.lineStart = at + 1;
}

/** Books whole lines as code or comment, up to and with the one that starts at `last`; the cursor ends up behind them. */
export function takeLines(scan: Scan, last: number, flag: number): void {
  while (scan.lineStart <= last) {
    const newline = endOfLine(scan.bytes, scan.lineStart);
    scan.line = flag;
    scan.at = newline;
    if (newline >= scan.end) return;
    breakLine(scan, newline, 0);
    scan.at = newline + 1;
  }
}

/** The start of the last line, from the one that starts at `from`, that is indented further than `column`; -1 if none is. Blank lines between such lines belong to them, those behind do not. */
export function lastIndented({ bytes, end }: Scan, from: number, column: number): number {
  let last = -1;
  for (let start = from; start < end; start = endOfLine(bytes, start) + 1) {
    const text = skipSpace(bytes, start);
    if (bytes[text] === NEWLINE) continue;
    if (text - start <= column) break;
    last = start;
  }
  return last;
}
