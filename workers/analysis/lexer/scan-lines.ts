/** Counts the code, comment and blank lines of a buffer in one pass over its bytes. */

import { NEWLINE, standsAtIgnoringCase } from './bytes.js';
import { readBlock, readLine, readLines, readRest } from './comments.js';
import type { Lexer, Token } from './compile.js';
import { BREAK, PLAIN, SPACE } from './compile.js';
import { announceHeredoc, readHeredocs } from './heredocs.js';
import { opensHere } from './opening.js';
import { readQuote } from './quote-operators.js';
import { readRegex } from './regex-literals.js';
import { announceScalar, readScalar } from './scalars.js';
import { beginScan, breakLine, CODE, type Scan } from './scan-state.js';
import { readChar, readFenced, readTagged, readText, resumeText } from './strings.js';

/** The longest opening tag that is looked for. */
const LONGEST_TAG = 4096;

/** How the lines of one file divide; the three add up to `lines`. */
export interface LineCounts {
  readonly lines: number;
  readonly code: number;
  readonly comments: number;
  readonly blanks: number;
}

/**
 * Counts the lines of `bytes[start..end)`. Writes a newline at `end` to spare the inner loops their bounds checks: the
 * buffer must be at least one byte longer than the text, or it throws. Never throws for the bytes themselves; time is
 * linear in their number.
 */
export function countLines(bytes: Uint8Array, range: { start: number; end: number }, lexer: Lexer): LineCounts {
  if (range.end >= bytes.length) throw new RangeError(`No room for an end mark behind ${range.end} bytes.`);
  bytes[range.end] = NEWLINE;
  const scan = beginScan(bytes, range, lexer);
  run(scan);
  if (scan.lineStart < scan.end) breakLine(scan, scan.end, 0);
  const { code, comments, blanks } = scan;
  return { lines: code + comments + blanks, code, comments, blanks };
}

/** Local variables where the bytes are plain; the shared state only where a token or a line's end is met. */
function run(scan: Scan): void {
  const { bytes, end } = scan;
  const { classes } = scan.lexer;
  let at = scan.at;
  while (at < end) {
    const kind = classes[bytes[at] ?? NEWLINE] ?? BREAK;
    if (kind === PLAIN) {
      scan.line |= CODE;
      at = skipPlain(bytes, at + 1, classes);
    } else if (kind === SPACE) at += 1;
    else {
      scan.at = at;
      if (kind === BREAK) endLine(scan);
      else meetToken(scan);
      at = scan.at;
    }
  }
  // A reader that skips two bytes at once may have stepped over the end.
  scan.at = end;
}

/** The hottest loop of a scan: the rest of a stretch in which nothing can open. Four bytes a turn are a quarter faster. */
function skipPlain(bytes: Uint8Array, from: number, classes: Uint8Array): number {
  for (let at = from; ; at += 4) {
    if ((classes[bytes[at] ?? NEWLINE] ?? BREAK) > SPACE) return at;
    if ((classes[bytes[at + 1] ?? NEWLINE] ?? BREAK) > SPACE) return at + 1;
    if ((classes[bytes[at + 2] ?? NEWLINE] ?? BREAK) > SPACE) return at + 2;
    if ((classes[bytes[at + 3] ?? NEWLINE] ?? BREAK) > SPACE) return at + 3;
  }
}

function endLine(scan: Scan): void {
  breakLine(scan, scan.at, 0);
  scan.at += 1;
  if (scan.heredocs.length > 0) readHeredocs(scan);
  if (scan.scalar >= 0) readScalar(scan);
}

function meetToken(scan: Scan): void {
  const candidates = scan.lexer.tokens[scan.bytes[scan.at] ?? NEWLINE] ?? [];
  for (const token of candidates) {
    if (opensHere(scan, token) && read(scan, token)) return;
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
    case 'section':
      return readSection(scan, token);
    case 'end':
      return readRest(scan);
    case 'open':
    case 'shut':
      return readBracket(scan, token);
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

/** Reads an element such as `<script>`: its body is scanned by its own language up to the closing tag. */
function readSection(scan: Scan, token: Token): boolean {
  const { bytes, lexer, end } = scan;
  const start = endOfTag(scan);
  if (start < 0 || token.inner === undefined) return false;
  for (let at = scan.at; at < start; at += 1) if (bytes[at] === NEWLINE) breakLine(scan, at, CODE);
  scan.line |= CODE;
  scan.at = start;
  const stop = findClosing(scan, token);
  const kept = bytes[stop] ?? NEWLINE;
  bytes[stop] = NEWLINE;
  Object.assign(scan, { end: stop, lexer: token.inner });
  run(scan);
  bytes[stop] = kept;
  Object.assign(scan, { end, lexer, depth: 0 });
  scan.frames.length = 0;
  scan.heredocs.length = 0;
  return true;
}

/** The offset past the opening tag, or -1 when it has no end or closes itself. */
function endOfTag({ bytes, at, end }: Scan): number {
  const tag = bytes.subarray(at, Math.min(end, at + LONGEST_TAG));
  const close = tag.indexOf(0x3e);
  return close < 0 || tag[close - 1] === 0x2f ? -1 : at + close + 1;
}

function findClosing(scan: Scan, token: Token): number {
  const { bytes, end } = scan;
  for (let at = bytes.indexOf(0x3c, scan.at); at >= 0 && at < end; at = bytes.indexOf(0x3c, at + 1)) {
    if (standsAtIgnoringCase(bytes, at, token.close)) return at;
  }
  return end;
}
