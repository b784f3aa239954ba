/** Turns a language's syntax into the tables the scanner runs on: a class per byte and the tokens each byte may open. */
import { NEWLINE } from './bytes.js';
import type {
  BlockMark,
  CodeBlockMark,
  ElementMark,
  FenceMark,
  LineMark,
  Mark,
  Place,
  Syntax,
  TagMark,
  TextMark,
} from './syntax.js';

/** Byte classes; every class from TOKEN on may open a token. The scanner compares them by order. */
export const PLAIN = 0;
/** White space within a line. */
export const SPACE = 1;
/** The end of a line. */
export const BREAK = 2;
/** A byte that may open a token. */
export const TOKEN = 3;

/** What a token does once it opens. */
export type TokenKind =
  | 'line'
  | 'block'
  | 'lines'
  | 'indented'
  | 'text'
  | 'fence'
  | 'tag'
  | 'char'
  | 'escape'
  | 'heredoc'
  | 'regex'
  | 'quote'
  | 'scalar'
  | 'element'
  | 'codeBlock'
  | 'end'
  | 'open'
  | 'shut'
  | 'remark'
  | 'margin';

/** One compiled token; every token has every field so that the scanner's accesses stay monomorphic. */
export interface Token {
  readonly kind: TokenKind;
  readonly open: Uint8Array;
  readonly close: Uint8Array;
  readonly place: Place;
  readonly closePlace: Place;
  readonly ignoreCase: boolean;
  readonly notBefore: Uint8Array | undefined;
  readonly notAfter: Uint8Array | undefined;
  readonly nests: boolean;
  readonly continues: boolean;
  readonly escape: number;
  readonly guard: Uint8Array;
  readonly doubled: boolean;
  readonly multiline: boolean;
  readonly doc: boolean;
  readonly interpolate: Uint8Array;
  readonly fence: number;
  readonly minimum: number;
  readonly quote: Uint8Array;
  readonly tail: Uint8Array;
  readonly comment: boolean;
  readonly label: string;
}

/** The language of a part of a text: its name and its tables. */
export interface Embedded {
  readonly language: string;
  readonly lexer: Lexer;
}

/** Finds the language that a label within a text means; undefined where nobody knows it. */
export type FindEmbedded = (label: string) => Embedded | undefined;

/** The tables of one language. */
export interface Lexer {
  readonly syntax: Syntax;
  readonly embedded: FindEmbedded;
  readonly classes: Uint8Array;
  /** By byte: the tokens it may open, longest mark first. */
  readonly tokens: readonly (readonly Token[])[];
}

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

const blank: Token = {
  kind: 'escape',
  open: NOTHING,
  close: NOTHING,
  place: 'anywhere',
  closePlace: 'anywhere',
  ignoreCase: false,
  notBefore: undefined,
  notAfter: undefined,
  nests: false,
  continues: false,
  escape: -1,
  guard: NOTHING,
  doubled: false,
  multiline: false,
  doc: false,
  interpolate: NOTHING,
  fence: -1,
  minimum: 0,
  quote: NOTHING,
  tail: NOTHING,
  comment: false,
  label: '',
};

/** Compiles a syntax whose parts in other languages are looked up by `embedded`; callers may keep the result for as long as they like. */
export function compileSyntax(syntax: Syntax, embedded: FindEmbedded): Lexer {
  const classes = new Uint8Array(256);
  for (const byte of [0x20, 0x09, 0x0b, 0x0c, 0x0d]) classes[byte] = SPACE;
  classes[NEWLINE] = BREAK;
  const tokens: Token[][] = Array.from({ length: 256 }, () => []);
  for (const token of collect(syntax)) {
    for (const byte of firstBytes(token)) {
      tokens[byte]?.push(token);
      classes[byte] = TOKEN;
    }
  }
  // The sort is stable: where two marks are of one length, the order of `collect` decides.
  for (const list of tokens) if (list.length > 1) list.sort((a, b) => b.open.length - a.open.length);
  return { syntax, embedded, classes, tokens };
}

function firstBytes({ open, ignoreCase }: Token): number[] {
  const first = open[0];
  if (first === undefined) return [];
  if (!ignoreCase) return [first];
  const letter = String.fromCharCode(first);
  return [...new Set([letter.toLowerCase().charCodeAt(0), letter.toUpperCase().charCodeAt(0)])];
}

function collect(syntax: Syntax): Token[] {
  const simple = [
    ...each(syntax.ends, (word) => ({ ...blank, kind: 'end' as const, open: bytes(word), place: 'alone' as const })),
    ...each(syntax.fences, fenceToken),
    ...each(syntax.tags, tagToken),
    ...each(syntax.elements, elementToken),
    ...each(syntax.codeBlocks, codeBlockToken),
    ...each(syntax.block, blockToken),
    ...each(syntax.line, lineToken),
    ...each(syntax.text, textToken),
    ...each(characters(syntax.chars), (mark) => ({ ...blank, kind: 'char' as const, open: bytes(mark) })),
    ...each(characters(syntax.escapes), (mark) => ({ ...blank, open: bytes(mark) })),
  ];
  return [...simple, ...operators(syntax), ...brackets(syntax), ...remarks(syntax)];
}

/** Longer marks come first, so that these have only what nothing else begins with. */
function remarks({ remarks: mark, margin }: Syntax): Token[] {
  const margins = each(characters(margin), (open) => ({
    ...blank,
    kind: 'margin' as const,
    open: bytes(open),
    place: 'indent' as const,
  }));
  if (mark === undefined) return margins;
  const rest = Array.from({ length: 256 - 0x21 }, (_, i) => Uint8Array.of(0x21 + i)).filter(
    ([byte]) => !mark.code.includes(String.fromCharCode(byte ?? 0)),
  );
  const kind = mark.place ? { kind: 'line' as const, place: mark.place } : { kind: 'remark' as const };
  return [...margins, ...rest.map((open) => ({ ...blank, ...kind, open }))];
}

function operators(syntax: Syntax): Token[] {
  const list: Token[] = [];
  if (syntax.heredoc) list.push({ ...blank, kind: 'heredoc', open: bytes(syntax.heredoc.mark) });
  if (syntax.regex) list.push({ ...blank, kind: 'regex', open: bytes('/') });
  if (syntax.scalars)
    list.push(...['|', '>'].map((mark) => ({ ...blank, kind: 'scalar' as const, open: bytes(mark) })));
  if (syntax.quotes === 'ruby') list.push({ ...blank, kind: 'quote', open: bytes('%') });
  if (syntax.quotes === 'perl') {
    for (const mark of ['qq', 'qw', 'qr', 'qx', 'tr', 'q', 'm', 's', 'y']) {
      list.push({ ...blank, kind: 'quote', open: bytes(mark), place: 'word' });
    }
  }
  return list;
}

/** Brackets are watched only where something depends on their depth; each watched byte costs a stop of the scan. */
function brackets(syntax: Syntax): Token[] {
  const texts = syntax.text ?? [];
  const watched = texts.some((text) => text.doc) ? '([{' : texts.map((text) => text.interpolate?.at(-1) ?? '').join('');
  const opening = [...new Set(watched)];
  const closing = opening.map((bracket) => ({ '(': ')', '[': ']', '{': '}' })[bracket] ?? '');
  return [
    ...opening.map((bracket) => ({ ...blank, kind: 'open' as const, open: bytes(bracket) })),
    ...closing.map((bracket) => ({ ...blank, kind: 'shut' as const, open: bytes(bracket) })),
  ];
}

function lineToken(line: string | LineMark): Token {
  const mark = typeof line === 'string' ? { mark: line } : line;
  return {
    ...blank,
    ...surroundings(mark),
    kind: mark.indented ? 'indented' : 'line',
    open: bytes(mark.mark),
    continues: mark.continues ?? false,
  };
}

function blockToken(mark: BlockMark): Token {
  const { open, close, nests = false, closePlace } = mark;
  const kind = closePlace ? 'lines' : 'block';
  const marks = { open: bytes(open), close: bytes(close), nests, closePlace: closePlace ?? ('anywhere' as const) };
  return { ...blank, ...surroundings(mark), kind, ...marks };
}

function textToken(mark: TextMark): Token {
  const guard = bytes(mark.escape ?? '');
  return {
    ...blank,
    ...surroundings(mark),
    kind: 'text',
    open: bytes(mark.open),
    close: bytes(mark.close),
    closePlace: mark.closePlace ?? 'anywhere',
    escape: guard.length === 1 ? (guard[0] ?? -1) : -1,
    guard: guard.length > 1 ? guard : NOTHING,
    doubled: mark.doubled ?? false,
    multiline: mark.multiline ?? false,
    doc: mark.doc ?? false,
    interpolate: bytes(mark.interpolate ?? ''),
  };
}

function fenceToken(mark: FenceMark): Token {
  return {
    ...blank,
    ...surroundings(mark),
    kind: 'fence',
    open: bytes(mark.open),
    fence: mark.fence.charCodeAt(0),
    minimum: mark.minimum ?? 0,
    quote: bytes(mark.quote),
    close: bytes(mark.close),
    tail: bytes(mark.tail ?? ''),
    comment: mark.comment ?? false,
  };
}

function tagToken(mark: TagMark): Token {
  const { open, quote, close, tail } = mark;
  const marks = { open: bytes(open), quote: bytes(quote), close: bytes(close), tail: bytes(tail) };
  return { ...blank, ...surroundings(mark), kind: 'tag', ...marks };
}

function elementToken({ tag, label = '', place }: ElementMark): Token {
  const marks = { open: bytes(`<${tag}`), close: bytes(`</${tag}`), ignoreCase: true };
  return { ...blank, kind: 'element', ...marks, place: place ?? 'word', closePlace: place ?? 'anywhere', label };
}

function codeBlockToken({ mark, label = '', place = 'indent' }: CodeBlockMark): Token {
  return { ...blank, kind: 'codeBlock', open: bytes(mark.repeat(3)), fence: mark.charCodeAt(0), place, label };
}

function surroundings({ place = 'anywhere', ignoreCase = false, notBefore, notAfter }: Mark) {
  return { place, ignoreCase, notBefore: byteSet(notBefore), notAfter: byteSet(notAfter) };
}

function byteSet(characters: string | undefined): Uint8Array | undefined {
  if (characters === undefined) return undefined;
  const set = new Uint8Array(256);
  for (const byte of bytes(characters)) set[byte] = 1;
  return set;
}

function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

function characters(text: string | undefined): string[] {
  return [...(text ?? '')];
}

function each<T>(list: readonly T[] | undefined, make: (item: T) => Token): Token[] {
  return (list ?? []).map(make);
}
