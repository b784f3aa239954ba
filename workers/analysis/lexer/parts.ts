/** Reads the parts of a text that are written in another language, and books their lines under that language's name. */

import { endOfLine, isSpace, NEWLINE, skipSpace, standsAtIgnoringCase } from './bytes.js';
import type { Embedded, Token } from './compile.js';
import { breakLine, CODE, type PartCounts, type Scan } from './scan-state.js';

/** Scans from the cursor to the end of the range by the lexer that is set. */
export type Run = (scan: Scan) => void;

/** The longest opening tag and the longest word behind a fence that are looked at. */
const LONGEST_TAG = 4096;
const LONGEST_INFO = 256;
/** How deep parts may stand in parts: a script in a page in Markdown and one more. Each level looks for its end anew. */
const DEEPEST = 3;
const BACKQUOTE = 0x60;

const LANG = /\slang\s*=\s*["']?([^"'\s>]+)/i;
const TYPE = /\stype\s*=\s*["']?([^"'\s>]+)/i;
/** The word that names a language: ```` ```js ````, ```` ```{r, echo=FALSE} ````, ```` ```{.python} ````, ```` ```rust,no_run ````. */
const INFO = /^[\s{.]*([^\s{}.,:;()"'`]+)/;

/** Reads an element such as `<script>` with its body; the lines of its tags are the page's, those between the script's. */
export function readElement(scan: Scan, token: Token, run: Run): boolean {
  const { bytes, at, nesting } = scan;
  const start = endOfTag(scan);
  if (start < 0 || nesting >= DEEPEST) return false;
  const tag = latin1(bytes, at, start);
  const label = (LANG.exec(tag) ?? TYPE.exec(tag))?.[1] ?? token.label;
  if (label === '') return false;
  scan.line |= CODE;
  for (let i = at; i < start; i += 1) if (bytes[i] === NEWLINE) breakLine(scan, i, CODE);
  scan.at = start;
  readPart(scan, { stop: findClosing(scan, token), part: scan.lexer.embedded(label) }, run);
  return true;
}

/** Reads a fenced block (CommonMark 0.31, section 4.5); one without an end runs to the end of the text. */
export function readCodeBlock(scan: Scan, token: Token, run: Run): boolean {
  const { bytes, at, end, nesting } = scan;
  let from = at;
  while (bytes[from] === token.fence) from += 1;
  const newline = endOfLine(bytes, from);
  if (newline >= end || nesting >= DEEPEST) return false;
  if (token.fence === BACKQUOTE && bytes.subarray(from, newline).includes(BACKQUOTE)) return false;
  const info = INFO.exec(latin1(bytes, from, Math.min(newline, from + LONGEST_INFO)))?.[1];
  scan.line = CODE;
  breakLine(scan, newline, 0);
  scan.at = newline + 1;
  const stop = findFence(scan, token.fence, from - at);
  readPart(scan, { stop, part: scan.lexer.embedded(info ?? token.label) }, run);
  if (stop >= end) return true;
  scan.line = CODE;
  scan.at = endOfLine(bytes, stop);
  return true;
}

interface Part {
  readonly stop: number;
  readonly part: Embedded | undefined;
}

/** Scans up to `stop` by the part's own rules; what no language is known for stays with the text around it. */
function readPart(scan: Scan, { stop, part }: Part, run: Run): void {
  if (part === undefined) {
    passOver(scan, stop);
    return;
  }
  const { bytes, lexer, origin, end, nesting, code, comments, blanks, at, lineStart } = scan;
  // The line on which an element opens is not a part's, however it goes on.
  const shared = lineStart < at && breaksWithin(bytes, at, stop) ? 1 : 0;
  const kept = bytes[stop] ?? NEWLINE;
  bytes[stop] = NEWLINE;
  Object.assign(scan, { lexer: part.lexer, origin: at, end: stop, nesting: nesting + 1 });
  Object.assign(scan, { code: 0 - shared, comments: 0, blanks: 0 });
  run(scan);
  bytes[stop] = kept;
  // A last line without a newline is the part's too, unless a closing tag ends it.
  if (stop === scan.textEnd && scan.lineStart >= at && scan.lineStart < stop) breakLine(scan, stop, 0);
  book(scan, part.language);
  Object.assign(scan, { lexer, origin, end, nesting, code: code + shared, comments, blanks });
  Object.assign(scan, { depth: 0, announced: false, scalar: -1 });
  scan.frames.length = 0;
  scan.heredocs.length = 0;
}

/** Looks no further than `stop`: a line may hold any number of parts, and each would look to its end. */
function breaksWithin(bytes: Uint8Array, at: number, stop: number): boolean {
  for (let i = at; i < stop; i += 1) if (bytes[i] === NEWLINE) return true;
  return false;
}

function book(scan: Scan, language: string): void {
  const { code, comments, blanks } = scan;
  if (code + comments + blanks === 0) return;
  scan.parts ??= new Map<string, PartCounts>();
  const row = scan.parts.get(language) ?? { language, code: 0, comments: 0, blanks: 0 };
  row.code += code;
  row.comments += comments;
  row.blanks += blanks;
  scan.parts.set(language, row);
}

function passOver(scan: Scan, stop: number): void {
  const { bytes } = scan;
  for (let at = scan.at; at < stop; at += 1) {
    if (bytes[at] === NEWLINE) breakLine(scan, at, 0);
    else if (!isSpace(bytes[at])) scan.line |= CODE;
  }
  scan.at = stop;
}

/** The offset past the opening tag, or -1 when it has no end or closes itself. */
function endOfTag({ bytes, at, end }: Scan): number {
  const tag = bytes.subarray(at, Math.min(end, at + LONGEST_TAG));
  const close = tag.indexOf(0x3e);
  return close < 0 || tag[close - 1] === 0x2f ? -1 : at + close + 1;
}

function findClosing({ bytes, at: from, end }: Scan, { close, closePlace }: Token): number {
  for (let at = bytes.indexOf(0x3c, from); at >= 0 && at < end; at = bytes.indexOf(0x3c, at + 1)) {
    const placed = closePlace !== 'column0' || bytes[at - 1] === NEWLINE;
    if (placed && standsAtIgnoringCase(bytes, at, close)) return at;
  }
  return end;
}

/** The start of the line that closes a block: at least as many marks as opened it, and nothing else. */
function findFence({ bytes, at: from, end }: Scan, mark: number, width: number): number {
  for (let start = from; start < end; start = endOfLine(bytes, start) + 1) {
    const first = skipSpace(bytes, start);
    let at = first;
    while (bytes[at] === mark) at += 1;
    if (at - first >= width && bytes[skipSpace(bytes, at)] === NEWLINE) return start;
  }
  return end;
}

function latin1({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString('latin1');
}
