/** Reads comments: to the end of a line, between marks, between whole lines. */

import { endOfLine, NEWLINE, skipSpace, standsAt } from './bytes.js';
import type { Token } from './compile.js';
import { breakLine, CODE, COMMENT, lastIndented, type Scan, takeLines } from './scan-state.js';

/** Reads a comment that ends with its line. */
export function readLine(scan: Scan, token: Token): boolean {
  const { bytes } = scan;
  // What stands before COBOL's column seven is the number of the line.
  if (token.place === 'column6') scan.line = 0;
  scan.line |= COMMENT;
  let at = endOfLine(bytes, scan.at + token.open.length);
  while (token.continues && at < scan.end && isContinued(bytes, at)) {
    breakLine(scan, at, COMMENT);
    at = endOfLine(bytes, at + 1);
  }
  scan.at = at;
  return true;
}

/** Reads a comment of one line and of all lines below that are indented further. */
export function readIndented(scan: Scan): boolean {
  const { bytes, at, lineStart } = scan;
  const last = lastIndented(scan, endOfLine(bytes, at) + 1, at - lineStart);
  takeLines(scan, Math.max(lineStart, last), COMMENT);
  return true;
}

/** Reads a comment between two marks; an open one runs to the end of the text. */
export function readBlock(scan: Scan, token: Token): boolean {
  const { bytes, end } = scan;
  const { open, close } = token;
  const first = close[0];
  const again = token.nests ? open[0] : -1;
  let depth = 1;
  let at = scan.at + open.length;
  scan.line |= COMMENT;
  while (at < end && depth > 0) {
    const byte = bytes[at];
    if (byte === NEWLINE) {
      breakLine(scan, at, COMMENT);
      at += 1;
    } else if (byte === first && standsAt(bytes, at, close)) {
      depth -= 1;
      at += close.length;
    } else if (byte === again && standsAt(bytes, at, open)) {
      depth += 1;
      at += open.length;
    } else at += 1;
  }
  scan.at = at;
  return true;
}

/** Reads a comment of whole lines: the line of its opening, the line of its closing and all between. */
export function readLines(scan: Scan, token: Token): boolean {
  const { bytes, end } = scan;
  scan.line |= COMMENT;
  let at = endOfLine(bytes, scan.at + token.open.length);
  while (at < end) {
    breakLine(scan, at, COMMENT);
    const start = at + 1;
    at = endOfLine(bytes, start);
    if (closesLine(bytes, start, token)) break;
  }
  scan.at = at;
  return true;
}

/** Reads the end mark of a program, which is code, and the rest of the text as comment. */
export function readRest(scan: Scan): boolean {
  const { bytes, end } = scan;
  scan.line |= CODE;
  let at = endOfLine(bytes, scan.at);
  while (at < end) {
    const next = at + 1;
    breakLine(scan, at, bytes[skipSpace(bytes, next)] === NEWLINE ? 0 : COMMENT);
    at = endOfLine(bytes, next);
  }
  scan.at = at;
  return true;
}

function closesLine(bytes: Uint8Array, start: number, { close, closePlace }: Token): boolean {
  const at = closePlace === 'column0' ? start : skipSpace(bytes, start);
  if (!standsAt(bytes, at, close)) return false;
  return closePlace !== 'alone' || bytes[skipSpace(bytes, at + close.length)] === NEWLINE;
}

function isContinued(bytes: Uint8Array, newline: number): boolean {
  const last = bytes[newline - 1] === 0x0d ? newline - 2 : newline - 1;
  return bytes[last] === 0x5c;
}
