/** Lays a language's compiled tokens out in memory for the SIMD scanner; what it cannot read it is told to hand back. */
import { NEWLINE } from './bytes.js';
import type { Lexer, Token, TokenKind } from './compile.js';
import type { Place } from './syntax.js';

/** What the scanner does with a token; whatever is not listed is handed back. The numbers are those of `simd-scan/scan.wat`. */
const KINDS: { readonly [Kind in TokenKind]?: number } = {
  line: 1,
  block: 2,
  text: 3,
  escape: 4,
  open: 5,
  shut: 6,
  scalar: 7,
};
const HANDED_BACK = 0;
const PLACES: { readonly [Key in Place]?: number } = {
  anywhere: 0,
  start: 1,
  column0: 2,
  indent: 3,
  spaced: 4,
  word: 5,
  nondigit: 6,
};
/** Marks are compared as one number. */
const LONGEST_MARK = 8;

/**
 * The layout of a language: the bytes that stop the scan, whether those outside ASCII do, by byte the address of its first
 * token, by byte whether it is looked back for, then tokens and sets.
 */
const STOPS = 0;
const OUTSIDE_ASCII = 16;
const HEADS = 64;
const LOOKED_BACK_FOR = HEADS + 4 * 256;
const TOKENS = LOOKED_BACK_FOR + 256;
const TOKEN_BYTES = 56;
const SET_BYTES = 256;

/** Where the fields of a token lie. */
const AT = {
  next: 0,
  kind: 4,
  openLength: 5,
  closeLength: 6,
  place: 7,
  nests: 8,
  continues: 9,
  doubled: 10,
  multiline: 11,
  doc: 12,
  escape: 13,
  escapes: 14,
  conditions: 15,
  open: 16,
  openMask: 24,
  close: 32,
  closeMask: 40,
  notBefore: 48,
  notAfter: 52,
} as const;

/** The tables of a language as they are to lie at `address`. Throws a RangeError for a mark that begins with a newline. */
export function layOutTables(lexer: Lexer, address: number): Uint8Array {
  if (lexer.tokens[NEWLINE]?.length) throw new RangeError('A mark begins with a newline; no scanner can read such.');
  const tokens = lexer.tokens.flat();
  const sets = new Map<Uint8Array, number>();
  const setsAt = TOKENS + tokens.length * TOKEN_BYTES;
  for (const token of tokens) {
    for (const set of [token.notBefore, token.notAfter]) {
      if (set !== undefined && !sets.has(set)) sets.set(set, setsAt + sets.size * SET_BYTES);
    }
  }
  const tables = new Uint8Array(setsAt + sets.size * SET_BYTES);
  const view = new DataView(tables.buffer);
  const addressOf = (set: Uint8Array | undefined) => (set === undefined ? 0 : address + (sets.get(set) ?? 0));
  for (const [set, at] of sets) tables.set(set, at);
  let at = TOKENS;
  for (let byte = 0; byte < lexer.tokens.length; byte += 1) {
    const opening = lexer.tokens[byte] ?? [];
    if (opening.length === 0) continue;
    writeStop(tables, byte, opening);
    view.setUint32(HEADS + 4 * byte, address + at, true);
    for (const token of opening) {
      writeToken(view, at, token);
      view.setUint32(at + AT.next, token === opening.at(-1) ? 0 : address + at + TOKEN_BYTES, true);
      view.setUint32(at + AT.notBefore, addressOf(token.notBefore), true);
      view.setUint32(at + AT.notAfter, addressOf(token.notAfter), true);
      at += TOKEN_BYTES;
    }
  }
  return tables;
}

/**
 * Every byte that may open something stops the scan, but for a letter that needs another byte behind it: that one does, and
 * looks back for it.
 */
function writeStop(tables: Uint8Array, byte: number, opening: readonly Token[]): void {
  const lead = isLetter(byte) && opening.every(isCodeOfTwo);
  if (lead) tables[LOOKED_BACK_FOR + byte] = 1;
  for (const stop of lead ? opening.map(({ open }) => open[1] ?? byte) : [byte]) {
    // The set is kept by the lower half of a byte, with a bit for each upper half.
    const at = STOPS + (stop & 15);
    if (stop < 0x80) tables[at] = (tables[at] ?? 0) | (1 << (stop >> 4));
    else tables[OUTSIDE_ASCII] = 1;
  }
}

function writeToken(view: DataView, at: number, token: Token): void {
  const { open, close } = token;
  view.setUint8(at + AT.kind, kindOf(token));
  view.setUint8(at + AT.openLength, open.length);
  view.setUint8(at + AT.closeLength, close.length);
  view.setUint8(at + AT.place, PLACES[token.place] ?? 0);
  for (const flag of ['nests', 'continues', 'doubled', 'multiline', 'doc'] as const) {
    view.setUint8(at + AT[flag], token[flag] ? 1 : 0);
  }
  // Without an escape character the search for one finds the closing mark, which it looks for anyway.
  view.setUint8(at + AT.escape, token.escape < 0 ? (close[0] ?? NEWLINE) : token.escape);
  view.setUint8(at + AT.escapes, token.escape < 0 ? 0 : 1);
  const free = token.place === 'anywhere' && token.notBefore === undefined && token.notAfter === undefined;
  view.setUint8(at + AT.conditions, free ? 0 : 1);
  writeMark(view, at + AT.open, open, token.ignoreCase);
  writeMark(view, at + AT.close, close, false);
}

/** The bytes of a mark and which of their bits count; of a longer one only the beginning, behind which others look. */
function writeMark(view: DataView, at: number, mark: Uint8Array, ignoreCase: boolean): void {
  for (let index = 0; index < mark.length && index < LONGEST_MARK; index += 1) {
    const byte = mark[index] ?? NEWLINE;
    view.setUint8(at + index, byte);
    view.setUint8(at + LONGEST_MARK + index, ignoreCase && isLetter(byte) ? 0xdf : 0xff);
  }
}

function kindOf(token: Token): number {
  const kind = KINDS[token.kind] ?? HANDED_BACK;
  const { open, close } = token;
  const known = open.length <= LONGEST_MARK && close.length <= LONGEST_MARK && token.place in PLACES;
  const simple = token.guard.length === 0 && token.interpolate.length === 0 && token.closePlace === 'anywhere';
  const closed = close.length > 0 || (token.kind !== 'block' && token.kind !== 'text');
  const oneLine = !open.includes(NEWLINE) && !close.includes(NEWLINE);
  return known && simple && closed && oneLine ? kind : HANDED_BACK;
}

/** Code may be looked back for: what has been read of it by then was taken for code. */
function isCodeOfTwo({ kind, open, place, doc, ignoreCase }: Token): boolean {
  const [, second = NEWLINE] = open;
  const code = kind === 'tag' || (kind === 'text' && !doc);
  return code && place === 'anywhere' && !ignoreCase && second > 0x20 && second < 0x80 && !isLetter(second);
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}
