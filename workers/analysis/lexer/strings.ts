/** Reads literals: quoted strings with escapes and embedded expressions, raw strings, single characters. */

import { isWord, NEWLINE, skipSpace, standsAt } from './bytes.js';
import type { Token } from './compile.js';
import { breakLine, CODE, COMMENT, type Scan } from './scan-state.js';

/** The longest escaped character literal that is looked for: `'\u{10FFFF}'`. */
const LONGEST_CHAR = 12;

/** Reads a quoted string from its opening mark. */
export function readText(scan: Scan, token: Token): boolean {
  const asDoc = token.doc && isDocumentation(scan);
  if (asDoc) scan.line = 0;
  const flag = asDoc ? COMMENT : CODE;
  scan.line |= flag;
  readTextBody(scan, { token, from: scan.at + token.open.length, flag });
  return true;
}

/** Goes on with a string after an expression embedded in it. */
export function resumeText(scan: Scan, token: Token): void {
  readTextBody(scan, { token, from: scan.at, flag: CODE });
}

/** Rust's own limit; a longer row of marks is no fence, and looking further would take quadratic time. */
const LONGEST_FENCE = 255;

/** Reads a raw string whose end repeats the fence of its beginning. */
export function readFenced(scan: Scan, token: Token): boolean {
  const { bytes } = scan;
  let at = scan.at + token.open.length;
  const fenceStart = at;
  while (bytes[at] === token.fence && at - fenceStart <= LONGEST_FENCE) at += 1;
  const width = at - fenceStart;
  if (width < token.minimum || !standsAt(bytes, at, token.quote)) return false;
  const fence = new Uint8Array(width).fill(token.fence);
  readRaw(scan, {
    from: at + token.quote.length,
    close: Buffer.concat([token.close, fence, token.tail]),
    flag: token.comment ? COMMENT : CODE,
  });
  return true;
}

/** Reads a raw string whose end repeats the word of its beginning. */
export function readTagged(scan: Scan, token: Token): boolean {
  const { bytes } = scan;
  const start = scan.at + token.open.length;
  let at = start;
  while (at - start < 16 && isTagByte(bytes[at], token)) at += 1;
  if (!standsAt(bytes, at, token.quote)) return false;
  const tag = bytes.slice(start, at);
  readRaw(scan, { from: at + token.quote.length, close: Buffer.concat([token.close, tag, token.tail]), flag: CODE });
  return true;
}

/** Reads a literal of one character; false when the apostrophe is something else, such as a lifetime. */
export function readChar(scan: Scan): boolean {
  const { bytes, at } = scan;
  const first = bytes[at + 1];
  if (first === undefined || first === NEWLINE || isPrimed(scan)) return false;
  const end = first === 0x5c ? endOfEscape(bytes, at + 2, bytes[at]) : at + 1 + characterLength(first);
  if (bytes[end] !== bytes[at] || end >= scan.end) return false;
  scan.line |= CODE;
  scan.at = end + 1;
  return true;
}

/** Whether the apostrophe ends a name, as in Haskell and ML; `b'x'` is a literal of bytes. */
function isPrimed({ bytes, at, lineStart }: Scan): boolean {
  if (at === lineStart || !isWord(bytes[at - 1])) return false;
  return bytes[at - 1] !== 0x62 || (at - 1 > lineStart && isWord(bytes[at - 2]));
}

interface Body {
  readonly token: Token;
  readonly from: number;
  readonly flag: number;
}

function readTextBody(scan: Scan, { token, from, flag }: Body): void {
  const { bytes, end } = scan;
  const { close, interpolate } = token;
  const first = close[0];
  const embedded = interpolate[0] ?? -1;
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte === NEWLINE) {
      if (!token.multiline) break;
      breakLine(scan, at, flag);
      at += 1;
    } else if (byte === embedded && standsAt(bytes, at, interpolate)) {
      scan.frames.push({ token, depth: scan.depth });
      scan.depth += 1;
      at += interpolate.length;
      break;
    } else if (byte === token.escape) at = skipEscaped(scan, at + 1, flag);
    else if (byte === first && closesText(scan, at, token)) {
      at += close.length;
      if (!token.doubled || !standsAt(bytes, at, close)) break;
      at += close.length;
    } else at += 1;
  }
  scan.at = at;
}

/** Skips what an escape character takes along; an escaped line end carries the string on to the next line. */
function skipEscaped(scan: Scan, at: number, flag: number): number {
  const { bytes, end } = scan;
  const next = bytes[at] === 0x0d && bytes[at + 1] === NEWLINE ? at + 1 : at;
  if (next >= end) return end;
  if (bytes[next] === NEWLINE) breakLine(scan, next, flag);
  return next + 1;
}

function closesText(scan: Scan, at: number, { close, closePlace, guard }: Token): boolean {
  const { bytes, lineStart } = scan;
  if (!standsAt(bytes, at, close)) return false;
  if (guard.length > 0 && standsAt(bytes, at - guard.length, guard)) return false;
  if (closePlace === 'column0') return at === lineStart;
  return closePlace !== 'indent' || skipSpace(bytes, lineStart) === at;
}

function readRaw(scan: Scan, { from, close, flag }: { from: number; close: Uint8Array; flag: number }): void {
  const { bytes, end } = scan;
  const first = close[0];
  let at = from;
  scan.line |= flag;
  while (at < end) {
    const byte = bytes[at];
    if (byte === first && standsAt(bytes, at, close)) {
      at += close.length;
      break;
    }
    if (byte === NEWLINE) breakLine(scan, at, flag);
    at += 1;
  }
  scan.at = at;
}

/** A literal is documentation when it is a statement of its own: first on its line, outside brackets, not continued. */
function isDocumentation({ bytes, at, lineStart, depth, frames }: Scan): boolean {
  if (depth > 0 || frames.length > 0) return false;
  let start = at;
  while (start > lineStart && at - start < 2 && isPrefix(bytes[start - 1])) start -= 1;
  if (skipSpace(bytes, lineStart) !== start) return false;
  const last = bytes[lineStart - 2] === 0x0d ? lineStart - 3 : lineStart - 2;
  return bytes[last] !== 0x5c;
}

/** Python's raw, bytes and Unicode prefixes; a formatted string is never documentation. */
function isPrefix(byte: number | undefined): boolean {
  return byte !== undefined && 'rRuUbB'.includes(String.fromCharCode(byte));
}

function isTagByte(byte: number | undefined, { quote }: Token): boolean {
  return (
    byte !== quote[0] && (isWord(byte) || (byte !== undefined && byte > 0x20 && quote[0] === 0x28 && byte !== 0x5c))
  );
}

function endOfEscape(bytes: Uint8Array, from: number, close: number | undefined): number {
  let at = from + 1;
  while (at - from < LONGEST_CHAR && bytes[at] !== close && bytes[at] !== NEWLINE) at += 1;
  return at;
}

function characterLength(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
