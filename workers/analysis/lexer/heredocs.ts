/** Reads here-documents: announced within a line, their bodies follow it and end at a line that is their word. */

import { endOfLine, isWord, NEWLINE, skipSpace, standsAt } from './bytes.js';
import type { Token } from './compile.js';
import { CODE, MOST_WASTED, type Scan, takeLines } from './scan-state.js';
import type { HeredocMark } from './syntax.js';

/** Notes a here-document; false when the mark is only a shift or comparison. */
export function announceHeredoc(scan: Scan, token: Token): boolean {
  const style = scan.lexer.syntax.heredoc;
  if (style === undefined || scan.wasted > MOST_WASTED) return false;
  const found = parseWord(scan, scan.at + token.open.length, style);
  if (found === undefined) return false;
  scan.heredocs.push({ word: found.word, indented: found.flagged || style.indented === true });
  scan.announced = true;
  scan.line |= CODE;
  scan.at = found.end;
  return true;
}

/** Reads the bodies of the here-documents announced on the line just ended; one without an end is taken back. */
export function readHeredocs(scan: Scan): void {
  for (const heredoc of scan.heredocs) {
    if (scan.wasted > MOST_WASTED) break;
    const last = findEnd(scan, heredoc.word, heredoc.indented);
    if (last < 0) scan.wasted += scan.end - scan.at;
    takeLines(scan, last, CODE);
  }
  scan.heredocs.length = 0;
}

interface Announced {
  readonly word: Uint8Array;
  readonly flagged: boolean;
  readonly end: number;
}

function parseWord(scan: Scan, from: number, style: HeredocMark): Announced | undefined {
  const { bytes } = scan;
  let at = from;
  const flagged = style.flags.includes(String.fromCharCode(bytes[at] ?? NEWLINE));
  if (flagged) at += 1;
  if (style.spaces) at = skipSpace(bytes, at);
  const quote = bytes[at];
  const quoted = quote === 0x22 || quote === 0x27 || quote === 0x60;
  if (quoted || quote === 0x5c) at += 1;
  const start = at;
  while (isWord(bytes[at]) || (quoted && bytes[at] !== quote && bytes[at] !== NEWLINE)) at += 1;
  if (at === start || (quoted && bytes[at] !== quote)) return undefined;
  if (!quoted && !canBegin(bytes[start], style.capital === true && !flagged)) return undefined;
  return { word: bytes.slice(start, at), flagged, end: quoted ? at + 1 : at };
}

function canBegin(byte: number | undefined, capital: boolean): boolean {
  if (byte === undefined || (byte >= 0x30 && byte <= 0x39)) return false;
  return !capital || byte === 0x5f || (byte >= 0x41 && byte <= 0x5a);
}

/** The start of the line that ends the body, or -1. */
function findEnd({ bytes, lineStart, end }: Scan, word: Uint8Array, indented: boolean): number {
  for (let start = lineStart; start < end; start = endOfLine(bytes, start) + 1) {
    const at = indented ? skipSpace(bytes, start) : start;
    if (standsAt(bytes, at, word) && !isWord(bytes[at + word.length])) return start;
  }
  return -1;
}
