/** Syntaxes shared by many languages, to be spread into a language's own row. */
import type { BlockMark, LineMark, Syntax, TextMark } from '../lexer/syntax.js';

/** Letters, digits and underscore: what may not stand beside a mark that is a word. */
export const WORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';

/** `"…"` on one line, with backslash escapes. */
export const double: TextMark = { open: '"', close: '"', escape: '\\' };
/** `'…'` on one line, with backslash escapes. */
export const single: TextMark = { open: "'", close: "'", escape: '\\' };
/** `"…"` over any number of lines, with backslash escapes. */
export const longDouble: TextMark = { ...double, multiline: true };
/** `'…'` over any number of lines, with backslash escapes. */
export const longSingle: TextMark = { ...single, multiline: true };
/** Three double quotes, over any number of lines. */
export const tripleDouble: TextMark = { open: '"""', close: '"""', escape: '\\', multiline: true };
/** Three single quotes, over any number of lines. */
export const tripleSingle: TextMark = { open: "'''", close: "'''", escape: '\\', multiline: true };
/** A back-quoted string without escapes, over any number of lines. */
export const rawBackquote: TextMark = { open: '`', close: '`', multiline: true };
/** `"…"` in which a doubled quote stands for itself. */
export const doubledDouble: TextMark = { open: '"', close: '"', doubled: true };
/** `'…'` in which a doubled quote stands for itself. */
export const doubledSingle: TextMark = { open: "'", close: "'", doubled: true };

/** A slash-star comment. */
export const slashStar: BlockMark = { open: '/*', close: '*/' };
/** A slash-star comment that nests. */
export const nestedSlashStar: BlockMark = { ...slashStar, nests: true };
/** `(* … *)`, nested. */
export const parenStar: BlockMark = { open: '(*', close: '*)', nests: true };
/** `<!-- … -->`. */
export const markupComment: BlockMark = { open: '<!--', close: '-->' };
/** `{- … -}`, nested. */
export const braceDash: BlockMark = { open: '{-', close: '-}', nests: true };

/** A hash that begins a word, as in the shell and YAML. */
export const spacedHash: LineMark = { mark: '#', place: 'spaced' };
/** A double slash whose comment a trailing backslash continues, as in C. */
const continuedSlashes: LineMark = { mark: '//', continues: true };

/** Slashes, slash-star and both kinds of quote. */
export const cLike: Syntax = { line: ['//'], block: [slashStar], text: [double, single] };
/** The same without quotes. */
export const slashed: Syntax = { line: ['//'], block: [slashStar] };
/** C itself: continued comments, and digit separators beside character literals. */
export const c: Syntax = {
  line: [continuedSlashes],
  block: [slashStar],
  text: [double, { ...single, place: 'nondigit' }],
};
/** C++: C with raw strings. */
export const cpp: Syntax = {
  ...c,
  tags: [{ open: 'R"', quote: '(', close: ')', tail: '"' }],
};
/** Java and its like: text blocks. */
export const java: Syntax = { ...cLike, text: [tripleDouble, double, single] };
/** JavaScript and TypeScript: template literals and regular expressions. */
export const javascript: Syntax = {
  line: ['//'],
  block: [slashStar],
  text: [{ open: '`', close: '`', escape: '\\', multiline: true, interpolate: '${' }, double, single],
  regex: 'script',
};
/** Hash comments, no strings. */
export const hashed: Syntax = { line: ['#'] };
/** Hash comments and both kinds of quote. */
export const hashQuoted: Syntax = { line: ['#'], text: [double, single] };
/** Python: long strings that document when they stand alone. */
export const python: Syntax = {
  line: ['#'],
  text: [{ ...tripleDouble, doc: true }, { ...tripleSingle, doc: true }, double, single],
};
/** POSIX shells. */
export const shell: Syntax = {
  line: [spacedHash],
  text: [
    { open: "$'", close: "'", escape: '\\', multiline: true },
    longDouble,
    { open: "'", close: "'", multiline: true },
  ],
  escapes: '\\',
  heredoc: { mark: '<<', flags: '-', spaces: true },
};
/** Markup comments, and sections of plain characters, in which there are none. */
export const markup: Syntax = { block: [markupComment], text: [{ open: '<![CDATA[', close: ']]>', multiline: true }] };
/** Semicolon comments and long strings, as in Lisps. */
export const lisp: Syntax = { line: [';'], text: [longDouble], escapes: '\\' };
/** Semicolon comments, no strings. */
export const semicolons: Syntax = { line: [';'] };
/** Double dashes and `{- -}`, as in Haskell. */
export const haskell: Syntax = {
  line: [{ mark: '--', notBefore: '!#$%&*+./<=>?@\\^|~:', notAfter: '!#$%&*+./<=>?@\\^|~:' }],
  block: [braceDash],
  text: [double],
  chars: "'",
};
/** Double dashes and quotes. */
export const dashed: Syntax = { line: ['--'], text: [double, single] };
/** SQL. */
export const sql: Syntax = {
  line: ['--'],
  block: [nestedSlashStar],
  text: [
    { ...doubledSingle, multiline: true },
    { ...doubledDouble, multiline: true },
  ],
};
const environment = (name: string) => ({ open: `\\begin{${name}}`, close: `\\end{${name}}` });
const verbatim = (name: string): TextMark => ({ ...environment(name), multiline: true });
/** TeX: percent comments, but for what LaTeX prints as it stands. */
export const tex: Syntax = {
  line: ['%'],
  escapes: '\\',
  block: [environment('comment')],
  text: [verbatim('verbatim'), verbatim('Verbatim'), verbatim('lstlisting'), verbatim('minted')],
};
/** Exclamation-mark comments with Fortran's quotes. */
export const fortran: Syntax = { line: ['!'], text: [doubledDouble, doubledSingle] };
/** ML: nested `(* *)`, long strings, character literals. */
export const ml: Syntax = { block: [parenStar], text: [longDouble], chars: "'" };
/** CSS. */
export const css: Syntax = { block: [slashStar], text: [double, single] };
/** SCSS and Less: CSS with line comments, which a URL's slashes are not. */
export const scss: Syntax = { line: [{ mark: '//', notAfter: ':' }], block: [slashStar], text: [double, single] };
/** Markup whose scripts and styles count as what they are. */
export const page: Syntax = {
  block: [markupComment],
  elements: [
    { tag: 'script', label: 'javascript' },
    { tag: 'style', label: 'css' },
  ],
};
