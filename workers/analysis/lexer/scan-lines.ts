/** Counts the code, comment and blank lines of a buffer in one pass over its bytes. */

import { endOfLine, NEWLINE } from './bytes.js';
import { readBlock, readIndented, readLine, readLines, readRest } from './comments.js';
import type { Lexer, Token } from './compile.js';
import { BREAK, PLAIN, SPACE } from './compile.js';
import { announceHeredoc, readHeredocs } from './heredocs.js';
import { opensHere } from './opening.js';
import { pairsOf } from './pairs.js';
import { readCodeBlock, readElement } from './parts.js';
import { readQuote } from './quote-operators.js';
import { readRegex } from './regex-literals.js';
import { announceScalar, readScalar } from './scalars.js';
import { beginScan, breakLine, CODE, COMMENT, type PartCounts, type Scan, type ScanRange } from './scan-state.js';
import { COMMENT_SPAN, LITERAL_SPAN, type Spans } from './spans.js';
import { readChar, readFenced, readTagged, readText, resumeText } from './strings.js';
import { ANNOUNCED, ENDED, ENDED_LINE, FRAMED, MET_TOKEN, RESULT, type SimdScanner } from './text-memory.js';

/** How the lines of one file divide; the three add up to `lines`. */
export interface LineCounts {
  readonly lines: number;
  readonly code: number;
  readonly comments: number;
  readonly blanks: number;
  /** Those of the lines above that are written in other languages, one entry a language. */
  readonly embedded: readonly Readonly<PartCounts>[];
}

const NONE: readonly PartCounts[] = [];

/**
 * Counts the lines of `bytes[start..end)`. Writes a newline at `end` to spare the inner loops their bounds checks: the
 * buffer must be at least one byte longer than the text, or it throws. Never throws for the bytes themselves; time is
 * linear in their number.
 */
export function countLines(bytes: Uint8Array, range: ScanRange, lexer: Lexer): LineCounts {
  if (range.end >= bytes.length) throw new RangeError(`No room for an end mark behind ${range.end} bytes.`);
  bytes[range.end] = NEWLINE;
  const scan = beginScan(bytes, range, lexer);
  run(scan);
  if (scan.lineStart < scan.end) breakLine(scan, scan.end, 0);
  return sumUp(scan, scan.parts === undefined ? NONE : [...scan.parts.values()]);
}

function sumUp(scan: Scan, embedded: readonly PartCounts[]): LineCounts {
  let { code, comments, blanks } = scan;
  for (const part of embedded) {
    code += part.code;
    comments += part.comments;
    blanks += part.blanks;
  }
  return { lines: code + comments + blanks, code, comments, blanks, embedded };
}

function run(scan: Scan): void {
  if (scan.simd === undefined) runPlainly(scan);
  else runBy(scan, scan.simd);
}

/** Runs the SIMD scanner from token to token that it does not know; all places are addresses to it. */
function runBy(scan: Scan, { first, results, scan: next, tablesOf }: SimdScanner): void {
  const tables = tablesOf(scan.lexer);
  for (let stop = -1; stop !== ENDED; ) {
    const flags = (scan.heredocs.length > 0 ? ANNOUNCED : 0) | (scan.frames.length > 0 ? FRAMED : 0);
    const { at, end, line, lineStart, depth, origin, scalar } = scan;
    stop = next(tables, first + at, first + end, line, first + lineStart, depth, flags, first + origin, first, scalar);
    scan.at = (results[RESULT.at] ?? 0) - first;
    scan.line = results[RESULT.line] ?? 0;
    scan.lineStart = (results[RESULT.lineStart] ?? 0) - first;
    scan.code += results[RESULT.code] ?? 0;
    scan.comments += results[RESULT.comments] ?? 0;
    scan.blanks += results[RESULT.blanks] ?? 0;
    scan.depth = results[RESULT.depth] ?? 0;
    scan.scalar = results[RESULT.scalar] ?? -1;
    scan.announced = scan.scalar >= 0 || scan.heredocs.length > 0;
    if (stop === MET_TOKEN) meetToken(scan);
    else if (stop === ENDED_LINE) endLine(scan);
  }
}

/** Lines without tokens are counted in local variables; the shared state is brought up to date where a token is met. */
function runPlainly(scan: Scan): void {
  const { bytes, end, lexer } = scan;
  const { classes } = lexer;
  const tables = { classes, pairs: pairsOf(classes) };
  let { at, line, lineStart } = scan;
  let code = 0;
  let blanks = 0;
  while (at < end) {
    const kind = classes[bytes[at] ?? NEWLINE] ?? BREAK;
    if (kind === SPACE) at += 1;
    else if (kind === PLAIN) {
      line |= CODE;
      at = skipPlain(scan, at + 1, tables);
    } else if (kind === BREAK && line !== COMMENT && !scan.announced) {
      if (line === 0) blanks += 1;
      else code += 1;
      line = 0;
      at += 1;
      lineStart = at;
    } else {
      scan.at = at;
      scan.line = line;
      scan.lineStart = lineStart;
      if (kind === BREAK) endLine(scan);
      else meetToken(scan);
      ({ at, line, lineStart } = scan);
    }
  }
  scan.code += code;
  scan.blanks += blanks;
  // A reader that skips two bytes at once may have stepped over the end.
  scan.at = end;
  scan.line = line;
  scan.lineStart = lineStart;
}

interface Tables {
  readonly classes: Uint8Array;
  readonly pairs: Uint8Array;
}

/**
 * The hottest loop of this way to scan: the rest of a stretch in which nothing can open. Looking two bytes up at once, and four
 * pairs a turn, halves its time. Behind the end of `words` stands what stops it, and the loop of single bytes goes on.
 */
function skipPlain({ bytes, words }: Scan, from: number, { classes, pairs }: Tables): number {
  let at = from;
  if ((at & 1) === 1) {
    if ((classes[bytes[at] ?? NEWLINE] ?? BREAK) > SPACE) return at;
    at += 1;
  }
  let pair = at >> 1;
  for (; ; pair += 4) {
    if (pairs[words[pair] ?? NEWLINE] !== 0) break;
    if (pairs[words[pair + 1] ?? NEWLINE] !== 0) return lastPlain(bytes, pair + 1, classes);
    if (pairs[words[pair + 2] ?? NEWLINE] !== 0) return lastPlain(bytes, pair + 2, classes);
    if (pairs[words[pair + 3] ?? NEWLINE] !== 0) return lastPlain(bytes, pair + 3, classes);
  }
  return lastPlain(bytes, pair, classes);
}

function lastPlain(bytes: Uint8Array, pair: number, classes: Uint8Array): number {
  let at = 2 * pair;
  while ((classes[bytes[at] ?? NEWLINE] ?? BREAK) <= SPACE) at += 1;
  return at;
}

function endLine(scan: Scan): void {
  breakLine(scan, scan.at, 0);
  scan.at += 1;
  if (!scan.announced) return;
  scan.announced = false;
  const from = scan.at;
  if (scan.heredocs.length > 0) readHeredocs(scan);
  if (scan.scalar >= 0) readScalar(scan);
  scan.spans?.add(LITERAL_SPAN, from, Math.min(scan.at, scan.end));
}

function meetToken(scan: Scan): void {
  const from = scan.at;
  const candidates = scan.lexer.tokens[scan.bytes[from] ?? NEWLINE] ?? [];
  for (const token of candidates) {
    if (!opensHere(scan, token) || !read(scan, token)) continue;
    if (scan.spans !== undefined) noteSpan(scan, scan.spans, { token, from });
    return;
  }
  scan.line |= CODE;
  scan.at += 1;
}

/** Reads a token that opens at the cursor; false when on closer look it does not. */
function read(scan: Scan, token: Token): boolean {
  switch (token.kind) {
    case 'line':
      return readLine(scan, token);
    case 'block':
      return readBlock(scan, token);
    case 'lines':
      return readLines(scan, token);
    case 'indented':
      return readIndented(scan);
    case 'text':
      return readText(scan, token);
    case 'fence':
      return readFenced(scan, token);
    case 'tag':
      return readTagged(scan, token);
    case 'char':
      return readChar(scan);
    case 'escape':
      return readEscape(scan);
    case 'heredoc':
      return announceHeredoc(scan, token);
    case 'regex':
      return readRegex(scan);
    case 'quote':
      return readQuote(scan, token);
    case 'scalar':
      return announceScalar(scan);
    case 'element':
      return readElement(scan, token, run);
    case 'codeBlock':
      return readCodeBlock(scan, token, run);
    case 'end':
      return readRest(scan);
    case 'open':
    case 'shut':
      return readBracket(scan, token);
    case 'remark':
      scan.line |= COMMENT;
      scan.at += 1;
      return true;
    case 'margin':
      scan.at += 1;
      return true;
  }
}

/** Notes what was just read, up to the cursor; parts in other languages have noted their own. */
function noteSpan(scan: Scan, spans: Spans, { token, from }: { token: Token; from: number }): void {
  const kind = spanKind(scan, token);
  const to = Math.min(scan.at, scan.end);
  // The mark that ends a program is code, and so is a bracket behind which no string goes on.
  const start = token.kind === 'end' ? Math.min(endOfLine(scan.bytes, from), to) : from;
  if (kind !== undefined && (token.kind !== 'shut' || to > from + 1)) spans.add(kind, start, to);
}

/** What a token is to those who read the code between comments and literals; undefined for code. */
function spanKind({ line }: Scan, token: Token): number | undefined {
  switch (token.kind) {
    case 'line':
    case 'block':
    case 'lines':
    case 'indented':
    case 'end':
    case 'remark':
      return COMMENT_SPAN;
    case 'text':
      // Documentation leaves its line without the flag of code.
      return token.doc && line === COMMENT ? COMMENT_SPAN : LITERAL_SPAN;
    case 'fence':
      return token.comment ? COMMENT_SPAN : LITERAL_SPAN;
    case 'tag':
    case 'char':
    case 'regex':
    case 'quote':
    case 'shut':
      return LITERAL_SPAN;
    case 'escape':
    case 'heredoc':
    case 'scalar':
    case 'element':
    case 'codeBlock':
    case 'open':
    case 'margin':
      return undefined;
  }
}

function readEscape(scan: Scan): boolean {
  scan.line |= CODE;
  scan.at += scan.bytes[scan.at + 1] === NEWLINE ? 1 : 2;
  return true;
}

function readBracket(scan: Scan, token: Token): boolean {
  scan.line |= CODE;
  scan.at += 1;
  if (token.kind === 'open') {
    scan.depth += 1;
    return true;
  }
  if (scan.depth > 0) scan.depth -= 1;
  const frame = scan.frames.at(-1);
  if (frame?.depth === scan.depth) {
    scan.frames.pop();
    resumeText(scan, frame.token);
  }
  return true;
}
