/** Writes programs whose counts are known, from whole-line pieces that a language's own row allows. */
import fc from 'fast-check';
import type { Language } from '../../../workers/analysis/languages/language.js';
import type {
  BlockMark,
  FenceMark,
  LineMark,
  Syntax,
  TagMark,
  TextMark,
} from '../../../workers/analysis/lexer/syntax.js';

/** Some whole lines that leave nothing open, and what they count as. */
export interface Piece {
  readonly text: string;
  readonly code: number;
  readonly comments: number;
  readonly blanks: number;
}

const BLANKS: readonly Piece[] = ['\n', ' \t\n', '\f\n'].map((text) => ({ text, code: 0, comments: 0, blanks: 1 }));

/** The pieces that programs of a language are made of. */
export function piecesFor({ syntax = {} }: Language): readonly Piece[] {
  const hidden = hiddenMarks(syntax);
  const pieces = [
    { text: `${codeOf(syntax)}\n`, code: 1, comments: 0, blanks: 0 },
    ...BLANKS,
    ...(syntax.line ?? []).map((mark) => lineComment(typeof mark === 'string' ? { mark } : mark)),
    ...(syntax.block ?? []).flatMap(blockComments),
    ...(syntax.text ?? []).flatMap((mark) => texts(mark, hidden)),
    ...(syntax.fences ?? []).map((mark) => fenced(mark, hidden)),
    ...(syntax.tags ?? []).map((mark) => tagged(mark, hidden)),
    ...heredocs(syntax, hidden),
    ...codeBlocks(syntax),
  ].filter((piece): piece is Piece => piece !== undefined);
  return [...pieces.map((piece) => withMargin(piece, syntax)), ...remarks(syntax)];
}

/** A word that is code: in Brainfuck, one of its commands. */
function codeOf({ remarks: mark }: Syntax): string {
  return mark && !mark.place ? mark.code.slice(0, 2) : 'x y';
}

function withMargin(piece: Piece, { margin }: Syntax): Piece {
  return margin ? { ...piece, text: piece.text.replaceAll(/^(?=.*\n)/gm, `${margin} `) } : piece;
}

function remarks({ remarks: mark }: Syntax): Piece[] {
  return mark ? [{ text: 'a word\n', code: 0, comments: 1, blanks: 0 }] : [];
}

/** Programs of a language as lists of pieces. */
export function programsOf(language: Language): fc.Arbitrary<readonly Piece[]> {
  return fc.array(fc.constantFrom(...piecesFor(language)), { maxLength: 24 });
}

/** The text and the counts of some pieces together. */
export function joined(pieces: readonly Piece[]): Piece {
  return pieces.reduce(
    (sum, piece) => ({
      text: sum.text + piece.text,
      code: sum.code + piece.code,
      comments: sum.comments + piece.comments,
      blanks: sum.blanks + piece.blanks,
    }),
    { text: '', code: 0, comments: 0, blanks: 0 },
  );
}

/** What must not count where it stands in a string. */
function hiddenMarks({ line = [], block = [] }: Syntax): string {
  const [first] = line;
  const mark = typeof first === 'string' ? first : (first?.mark ?? '');
  return `${mark} ${block[0]?.open ?? ''}`;
}

function lineComment(mark: LineMark): Piece | undefined {
  // A mark that holds only at the start of a text is none of a piece that may stand anywhere.
  if (mark.place === 'start') return undefined;
  const before = mark.place === 'column6' ? '      ' : '';
  const after = mark.place === 'alone' ? '' : ' c';
  return { text: `${before}${mark.mark}${after}\n`, code: 0, comments: 1, blanks: 0 };
}

function blockComments({ open, close, nests, closePlace, place, notBefore }: BlockMark): Piece[] {
  if (place === 'start') return [];
  // Perl's documentation is opened by an equals sign and any word.
  const word = notBefore === undefined ? '' : 'pod';
  if (closePlace) return [{ text: `${open}${word}\nc\n\n${close}\n`, code: 0, comments: 4, blanks: 0 }];
  const plain = { text: `${open} c\n\nc ${close}\n`, code: 0, comments: 3, blanks: 0 };
  const nested = { text: `${open} ${open} c\n ${close}\n${close}\n`, code: 0, comments: 3, blanks: 0 };
  return nests ? [plain, nested] : [plain];
}

function texts({ open, close, multiline, closePlace, place, doubled }: TextMark, hidden: string): Piece[] {
  if (place === 'column0' || place === 'indent' || place === 'start') return [];
  // Zig's strings end with their line.
  if (close === '\n') return [{ text: `x = ${open}${hidden}\n`, code: 1, comments: 0, blanks: 0 }];
  const inner = hidden.includes(close) || hidden.includes('\\') ? 'c' : hidden;
  const end = closePlace ? `\n${close}` : close;
  const one = { text: `x = ${open}${inner}${closePlace ? '' : close}\n`, code: 1, comments: 0, blanks: 0 };
  const twice = { text: `x = ${open}${close}${close}${inner}${close}\n`, code: 1, comments: 0, blanks: 0 };
  const lines = `x = ${open}a\n${inner}\n\nb${end}\n`;
  const long = { text: lines, code: lines.split('\n').length - 1, comments: 0, blanks: 0 };
  return [...(closePlace ? [] : [one]), ...(doubled ? [twice] : []), ...(multiline ? [long] : [])];
}

function fenced({ open, fence, quote, close, tail = '', comment, minimum = 0 }: FenceMark, hidden: string): Piece {
  const marks = fence.repeat(Math.max(1, minimum));
  const text = `${open}${marks}${quote}a\n${hidden}\n\n${close}${marks}${tail}\n`;
  return comment ? { text, code: 0, comments: 4, blanks: 0 } : { text: `x = ${text}`, code: 4, comments: 0, blanks: 0 };
}

function tagged({ open, quote, close, tail }: TagMark, hidden: string): Piece {
  return { text: `x = ${open}a${quote}\n${hidden}\n\n${close}a${tail}\n`, code: 4, comments: 0, blanks: 0 };
}

function heredocs({ heredoc }: Syntax, hidden: string): Piece[] {
  return heredoc ? [{ text: `x ${heredoc.mark}E\n${hidden}\n\nE\n`, code: 4, comments: 0, blanks: 0 }] : [];
}

function codeBlocks({ codeBlocks: blocks = [] }: Syntax): Piece[] {
  return blocks
    .filter(({ place }) => place !== 'start')
    .map(({ mark }) => ({
      text: `${mark.repeat(3)}js\n// a\n\nb\n${mark.repeat(3)}\n`,
      code: 3,
      comments: 1,
      blanks: 1,
    }));
}
