/** Reads the quote-like operators of Perl (`q{…}`, `s/…/…/`) and Ruby (`%w[…]`), whose delimiter is free. */

import { isSpace, isWord, NEWLINE, skipSpace } from './bytes.js';
import type { Token } from './compile.js';
import { breakLine, CODE, MOST_WASTED, type Scan } from './scan-state.js';

/** The longest literal that is looked for; past it the operator was something else. */
const LONGEST_QUOTE = 1 << 16;

/** Reads a quote-like operator; false when the letters or the percent sign are something else. */
export function readQuote(scan: Scan, token: Token): boolean {
  if (scan.wasted > MOST_WASTED) return false;
  const start = token.open[0] === 0x25 ? rubyDelimiter(scan) : perlDelimiter(scan, token);
  if (start < 0) return false;
  let end = endOfQuote(scan, start);
  if (end >= 0 && isSubstitution(token)) end = endOfReplacement(scan, start, end);
  if (end < 0) return false;
  scan.line |= CODE;
  for (let at = scan.at; at < end; at += 1) if (scan.bytes[at] === NEWLINE) breakLine(scan, at, CODE);
  scan.at = end;
  return true;
}

function isSubstitution({ open }: Token): boolean {
  const [first, second] = open;
  return first === 0x73 || first === 0x79 || (first === 0x74 && second === 0x72);
}

/** `%w[`, `%q(`, `%(`: letters, then a bracket or punctuation that an operand may start with. */
function rubyDelimiter({ bytes, at, lineStart }: Scan): number {
  const letter = bytes[at + 1];
  const hasLetter = letter !== undefined && 'wWiIqQrsx'.includes(String.fromCharCode(letter));
  const start = hasLetter ? at + 2 : at + 1;
  const delimiter = bytes[start];
  const previous = at > lineStart ? bytes[at - 1] : NEWLINE;
  if (isWord(previous) || previous === 0x29 || previous === 0x5d) return -1;
  if (closingOf(delimiter) !== delimiter) return start;
  return hasLetter && isPunctuation(delimiter) ? start : -1;
}

function perlDelimiter({ bytes, at, lineStart }: Scan, { open }: Token): number {
  const previous = at > lineStart ? bytes[at - 1] : NEWLINE;
  // `$s`, `@q`, `%y`, `&m`, `->s` and `{s}` are names.
  if (previous !== undefined && '$@%&>'.includes(String.fromCharCode(previous))) return -1;
  const after = at + open.length;
  const start = skipSpace(bytes, after);
  const delimiter = bytes[start];
  if (!isPunctuation(delimiter) || delimiter === 0x2c || delimiter === 0x3b || delimiter === 0x29) return -1;
  if (delimiter === 0x3d && (start > after || bytes[start + 1] === 0x3e || isSpace(bytes[start + 1]))) return -1;
  if (delimiter === 0x23 && start > after) return -1;
  return delimiter === 0x7d && previous === 0x7b ? -1 : start;
}

function isPunctuation(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f && !isWord(byte);
}

/** The offset past the closing delimiter, or -1. */
function endOfQuote(scan: Scan, start: number): number {
  const { bytes, end } = scan;
  const open = bytes[start];
  const close = closingOf(open);
  const limit = Math.min(end, start + LONGEST_QUOTE);
  let depth = 1;
  for (let at = start + 1; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === close) depth -= 1;
    else if (byte === open) depth += 1;
    if (depth === 0) return at + 1;
  }
  scan.wasted += limit - start;
  return -1;
}

/** The second half of `s{…}{…}` has delimiters of its own; that of `s/…/…/` shares the middle one. */
function endOfReplacement(scan: Scan, start: number, middle: number): number {
  const { bytes } = scan;
  if (closingOf(bytes[start]) === bytes[start]) return endOfQuote(scan, middle - 1);
  let at = middle;
  while (isSpace(bytes[at]) || (bytes[at] === NEWLINE && at < scan.end)) at += 1;
  return isPunctuation(bytes[at]) ? endOfQuote(scan, at) : -1;
}

function closingOf(byte: number | undefined): number | undefined {
  if (byte === 0x28) return 0x29;
  if (byte === 0x5b || byte === 0x7b) return byte + 2;
  return byte === 0x3c ? 0x3e : byte;
}
