/** Tells a slash that opens a regular expression from a division, and reads the expression. */
import { isSpace, isWord, NEWLINE } from './bytes.js';
import { CODE, MOST_WASTED, type Scan } from './scan-state.js';

/** The longest literal that is looked for; keeps minified files linear. */
const LONGEST_REGEX = 4096;

/** Words after which an operand, and so a regular expression, may follow. */
const OPERATOR_WORDS = new Set(
  'return typeof case in of delete void throw new else do instanceof yield await and or not if unless while until when then split grep'.split(
    ' ',
  ),
);

/** Reads a regular-expression literal; false when the slash divides. */
export function readRegex(scan: Scan): boolean {
  if (scan.wasted > MOST_WASTED || !operandMayStand(scan)) return false;
  const end = endOfRegex(scan);
  if (end < 0) return false;
  scan.line |= CODE;
  scan.at = end;
  return true;
}

/** The offset past the closing slash, or -1: a literal ends on its own line. */
function endOfRegex(scan: Scan): number {
  const { bytes, at } = scan;
  const limit = Math.min(scan.end, at + LONGEST_REGEX);
  let inClass = false;
  let i = at + 1;
  for (; i < limit && bytes[i] !== NEWLINE; i += 1) {
    const byte = bytes[i];
    if (byte === 0x5c && bytes[i + 1] !== NEWLINE) i += 1;
    else if (byte === 0x5b) inClass = true;
    else if (byte === 0x5d) inClass = false;
    else if (byte === 0x2f && !inClass) return i + 1;
  }
  scan.wasted += i - at;
  return -1;
}

function operandMayStand({ bytes, at, lineStart, lexer }: Scan): boolean {
  let i = at - 1;
  while (i >= lineStart && isSpace(bytes[i])) i -= 1;
  const byte = bytes[i];
  if (i < lineStart || byte === undefined) return true;
  if (isWord(byte))
    return followsOperatorWord(bytes, i, lineStart) || (lexer.syntax.regex === 'ruby' && isArgument(bytes, at));
  // A closing bracket or quote ends an operand; `}` may end a block instead, which is rarer before a slash.
  return byte !== 0x29 && byte !== 0x5d && byte !== 0x7d && byte !== 0x22 && byte !== 0x27 && byte !== 0x60;
}

/** In Ruby `puts /x/` calls with a regular expression while `a / b` divides: the spaces tell. */
function isArgument(bytes: Uint8Array, at: number): boolean {
  return isSpace(bytes[at - 1]) && !isSpace(bytes[at + 1]);
}

function followsOperatorWord(bytes: Uint8Array, last: number, lineStart: number): boolean {
  let start = last;
  while (start > lineStart && last - start < 12 && isWord(bytes[start - 1])) start -= 1;
  if (start > lineStart && bytes[start - 1] === 0x2e) return false;
  return OPERATOR_WORDS.has(String.fromCharCode(...bytes.subarray(start, last + 1)));
}
