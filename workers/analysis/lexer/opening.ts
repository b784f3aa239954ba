/** Decides whether a token opens at the cursor: its mark stands there and its surroundings allow it. */

import { isSpace, isWord, NEWLINE, skipSpace, standsAt, standsAtIgnoringCase } from './bytes.js';
import type { Token } from './compile.js';
import type { Scan } from './scan-state.js';

/** What the lines of code begin with in a literate text (Haskell 2010, section 10.4). */
const BIRD_TRACK = 0x3e;
/** How far back a number is followed to tell C++'s digit separator from a character literal. */
const LONGEST_NUMBER = 64;

/** Whether `token` opens at the cursor. */
export function opensHere(scan: Scan, token: Token): boolean {
  const { bytes, at } = scan;
  const { open, notBefore, notAfter } = token;
  if (token.ignoreCase ? !standsAtIgnoringCase(bytes, at, open) : !standsAt(bytes, at, open)) return false;
  if (notBefore?.[bytes[at + open.length] ?? NEWLINE] === 1) return false;
  if (notAfter?.[before(scan)] === 1) return false;
  return token.place === 'anywhere' || isPlaced(scan, token);
}

function before({ bytes, at, lineStart }: Scan): number {
  return at > lineStart ? (bytes[at - 1] ?? NEWLINE) : NEWLINE;
}

function isPlaced(scan: Scan, token: Token): boolean {
  const { bytes, at, lineStart } = scan;
  const after = at + token.open.length;
  switch (token.place) {
    case 'start':
      return at === scan.origin;
    case 'column0':
      return at === lineStart;
    case 'column6':
      return at === lineStart + 6;
    case 'prose':
      return scan.line === 0 && bytes[lineStart] !== BIRD_TRACK;
    case 'indent':
      return scan.line === 0;
    case 'alone':
      return scan.line === 0 && bytes[skipSpace(bytes, after)] === NEWLINE;
    case 'spaced':
      return isSeparator(before(scan));
    case 'word':
      return !isWord(before(scan)) && !isWord(bytes[after]);
    case 'nondigit':
      return !followsNumber(scan);
    case 'anywhere':
      return true;
  }
}

function isSeparator(byte: number): boolean {
  return (
    byte === NEWLINE ||
    isSpace(byte) ||
    byte === 0x3b ||
    byte === 0x26 ||
    byte === 0x7c ||
    byte === 0x28 ||
    byte === 0x29
  );
}

/** In `1'000'000` the apostrophe separates digits: the word it stands in begins with one. */
function followsNumber({ bytes, at, lineStart }: Scan): boolean {
  const limit = Math.max(lineStart, at - LONGEST_NUMBER);
  let i = at;
  while (i > limit && (isWord(bytes[i - 1]) || bytes[i - 1] === 0x27)) i -= 1;
  const first = bytes[i];
  return i < at && first !== undefined && first >= 0x30 && first <= 0x39;
}
