/** Reads the tokens of a text: what is neither white space nor comment, each as a hash and the line it stands on. */
import type { TextRange } from '../decode.js';
import { isSpace, isWord, NEWLINE } from '../lexer/bytes.js';
import type { Lexer } from '../lexer/compile.js';
import { countLines } from '../lexer/scan-lines.js';
import { COMMENT_SPAN, createSpans } from '../lexer/spans.js';
import { keywordHashes } from './keywords.js';
import { hashToken } from './token-hash.js';
import { createTokenList, type TokenList, type Tokens } from './token-list.js';

export type { Tokens } from './token-list.js';

/** How alike two tokens must be: `exact` as they are written, `names` with all names and all literals taken for one. */
export type Normalize = 'exact' | 'names';

/** Reads one text after another into the same memory. */
export interface Tokenizer {
  /** Time is linear in the text; never throws for what it holds. */
  read(text: TextRange, lexer: Lexer): Tokens;
}

const NAME = hashToken(Buffer.from('a name'), 0, 6);
const LITERAL = hashToken(Buffer.from('a literal'), 0, 9);

/** What a byte begins. */
const WHITE = 0;
const BREAK = 1;
const WORD = 2;
const DIGIT = 3;
const MARK = 4;
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

const MARKS = Uint32Array.from({ length: 256 }, (_, byte) => hashToken(Uint8Array.of(byte), 0, 1));

/** Operators of two characters, which count as one token wherever they stand together. */
const PAIRS = new Set(
  '== != <= >= && || -> => ++ -- << >> += -= *= /= %= &= |= ^= :: := ** ?? ?. .. <- |> ~='
    .split(' ')
    .map((pair) => (pair.charCodeAt(0) << 8) | pair.charCodeAt(1)),
);

/** Creates a tokenizer. */
export function createTokenizer(normalize: Normalize): Tokenizer {
  const spans = createSpans();
  const list = createTokenList();
  const style = normalize === 'names' ? BY_NAMES : EXACT;

  function read({ bytes, start, end }: TextRange, lexer: Lexer): Tokens {
    spans.clear();
    list.clear();
    countLines(bytes, { start, end, spans }, lexer);
    const reading: Reading = { bytes, list, style };
    let at = start;
    for (let i = 0; i < spans.count; i += 1) {
      const from = spans.start(i);
      const to = spans.end(i);
      readCode(reading, at, from);
      if (spans.kind(i) === COMMENT_SPAN) passOver(reading, from, to);
      else readLiteral(reading, from, to);
      at = to;
    }
    readCode(reading, at, end);
    return list.tokens();
  }

  return { read };
}

/** What becomes of names and literals. */
interface Style {
  readonly word: (hash: number) => number;
  readonly literal: (hash: number) => number;
}

const EXACT: Style = { word: (hash) => hash, literal: (hash) => hash };
const BY_NAMES: Style = { word: (hash) => (keywordHashes.has(hash) ? hash : NAME), literal: () => LITERAL };

interface Reading {
  readonly bytes: Buffer;
  readonly list: TokenList;
  readonly style: Style;
}

function readCode(reading: Reading, start: number, end: number): void {
  const { bytes, list } = reading;
  let at = start;
  while (at < end) {
    const kind = CLASSES[bytes[at] ?? NEWLINE];
    if (kind === WHITE) at += 1;
    else if (kind === BREAK) {
      list.breakLine();
      at += 1;
    } else if (kind === MARK) at = readMark(reading, at, end);
    else at = kind === WORD ? readWord(reading, at, end) : readNumber(reading, at, end);
  }
}

function readMark({ bytes, list }: Reading, at: number, end: number): number {
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  if (at + 1 < end && PAIRS.has(pair)) {
    list.add(hashToken(bytes, at, at + 2));
    return at + 2;
  }
  list.add(MARKS[bytes[at] ?? 0] ?? 0);
  return at + 1;
}

function readWord({ bytes, list, style }: Reading, start: number, end: number): number {
  let at = start + 1;
  while (at < end && isWordByte(bytes[at])) at += 1;
  list.add(style.word(hashToken(bytes, start, at)));
  return at;
}

function readNumber({ bytes, list, style }: Reading, start: number, end: number): number {
  let at = start + 1;
  while (at < end && (isWordByte(bytes[at]) || isPoint(bytes, at, end))) at += 1;
  list.add(style.literal(hashToken(bytes, start, at)));
  return at;
}

/** Each line of a literal is a token of its own, so that long texts weigh what they are. */
function readLiteral(reading: Reading, start: number, end: number): void {
  let from = start;
  while (from < end) {
    const newline = reading.bytes.indexOf(NEWLINE, from);
    const to = newline < 0 || newline > end ? end : newline;
    readLiteralLine(reading, from, to);
    if (to < end) reading.list.breakLine();
    from = to + 1;
  }
}

/** The white space around a line of a literal is layout, as is the carriage return before its end. */
function readLiteralLine({ bytes, list, style }: Reading, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < to && isSpace(bytes[from])) from += 1;
  while (to > from && isSpace(bytes[to - 1])) to -= 1;
  if (to > from) list.add(style.literal(hashToken(bytes, from, to)));
}

function passOver({ bytes, list }: Reading, start: number, end: number): void {
  for (let at = bytes.indexOf(NEWLINE, start); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) {
    list.breakLine();
  }
}

function classOf(byte: number): number {
  if (byte === NEWLINE) return BREAK;
  if (byte <= 0x20) return WHITE;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT;
  return isWord(byte) ? WORD : MARK;
}

function isWordByte(byte: number | undefined): boolean {
  const kind = CLASSES[byte ?? 0];
  return kind === WORD || kind === DIGIT;
}

function isPoint(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes[at] === 0x2e && at + 1 < end && CLASSES[bytes[at + 1] ?? 0] === DIGIT;
}
