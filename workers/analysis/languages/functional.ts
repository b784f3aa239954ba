/** Functional, logic and proof languages. */
import {
  braceDash,
  dashed,
  double,
  hashQuoted,
  haskell,
  lisp,
  longDouble,
  ml,
  nestedSlashStar,
  parenStar,
  single,
  slashStar,
  tex,
  tripleDouble,
} from './families.js';
import type { Language } from './language.js';

const hashPipe = { open: '#|', close: '|#', nests: true };
const scheme = { ...lisp, line: [';'], block: [hashPipe] };
const ocaml = { ...ml, tags: [{ open: '{', quote: '|', close: '|', tail: '}' }] };
const prolog = { line: ['%'], block: [slashStar], text: [double, single] };
const coq = { block: [parenStar], text: [{ open: '"', close: '"', doubled: true, multiline: true }] };

/** The rows. */
export const functional: readonly Language[] = [
  { name: 'Haskell', extensions: 'hs hsc hs-boot', interpreters: 'runhaskell runghc stack', syntax: haskell },
  {
    name: 'Literate Haskell',
    extensions: 'lhs',
    syntax: {
      ...haskell,
      remarks: { code: '>', place: 'prose' },
      margin: '>',
      text: [{ open: '\\begin{code}', close: '\\end{code}', multiline: true, place: 'column0' }, double],
    },
  },
  { name: 'DAML', extensions: 'daml', syntax: haskell },
  { name: 'PureScript', extensions: 'purs', syntax: { ...haskell, text: [tripleDouble, double] } },
  {
    name: 'Elm',
    extensions: 'elm',
    syntax: { line: ['--'], block: [braceDash], text: [tripleDouble, double], chars: "'" },
  },
  { name: 'Derw', extensions: 'derw', syntax: { line: ['--'], block: [braceDash], text: [double] } },
  { name: 'Idris', extensions: 'idr lidr', syntax: { ...haskell, line: ['--', '|||'], text: [tripleDouble, double] } },
  {
    name: 'Agda',
    extensions: 'agda lagda',
    syntax: { line: [{ mark: '--', place: 'spaced' }], block: [braceDash], text: [double] },
  },
  {
    name: 'Dhall',
    extensions: 'dhall',
    syntax: { line: ['--'], block: [braceDash], text: [{ open: "''", close: "''", multiline: true }, double] },
  },
  { name: 'Curry', extensions: 'curry', syntax: haskell },
  {
    name: 'Lean',
    extensions: 'lean hlean',
    syntax: { line: ['--'], block: [{ open: '/-', close: '-/', nests: true }], text: [longDouble] },
  },
  {
    name: 'Clean',
    extensions: 'icl dcl',
    syntax: { line: ['//'], block: [nestedSlashStar], text: [double], chars: "'" },
  },
  { name: 'Futhark', extensions: 'fut', syntax: dashed },
  { name: 'Unison', extensions: 'u', syntax: { line: ['--'], block: [braceDash], text: [double] } },
  { name: 'Cogent', extensions: 'cogent', syntax: haskell },
  { name: 'OCaml', extensions: 'ml mli eliom ml4 mll', interpreters: 'ocaml ocamlrun', syntax: ocaml },
  { name: 'Menhir', extensions: 'mly', syntax: { ...ocaml, line: ['//'], block: [parenStar, slashStar] } },
  {
    name: 'ReasonML',
    extensions: 're rei',
    syntax: { line: ['//'], block: [nestedSlashStar], text: [longDouble], chars: "'" },
  },
  {
    name: 'ReScript',
    extensions: 'res resi',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      text: [{ open: '`', close: '`', escape: '\\', multiline: true }, longDouble],
      chars: "'",
    },
  },
  { name: 'Standard ML', extensions: 'sml sig fun', syntax: { block: [parenStar], text: [longDouble] } },
  { name: 'F*', extensions: 'fst fsti', syntax: { ...ml, line: ['//'], block: [{ ...parenStar, notBefore: ')' }] } },
  {
    name: 'ATS',
    extensions: 'dats sats hats',
    syntax: { line: ['//', { mark: '////' }], block: [parenStar, slashStar], text: [longDouble] },
  },
  { name: 'Lem', extensions: 'lem', syntax: ml },
  { name: 'Ur/Web', extensions: 'ur urs', syntax: ml },
  { name: 'Coq', extensions: 'coq', syntax: coq },
  {
    name: 'Isabelle',
    extensions: 'thy',
    syntax: { block: [parenStar, { open: '{*', close: '*}' }], text: [longDouble] },
  },
  { name: 'TLA+', extensions: 'tla', syntax: { line: ['\\*'], block: [parenStar], text: [double] } },
  { name: 'Alloy', extensions: 'als', syntax: { line: ['//', '--'], block: [slashStar] } },
  {
    name: 'Clojure',
    extensions: 'clj cljs cljc cljx edn',
    filenames: 'build.boot',
    interpreters: 'clojure bb lumo planck',
    syntax: lisp,
  },
  {
    name: 'Common Lisp',
    extensions: 'lisp lsp asd cl ny podsl',
    interpreters: 'sbcl clisp ecl ccl lisp',
    syntax: { ...lisp, block: [hashPipe] },
  },
  {
    name: 'Emacs Lisp',
    extensions: 'el emacs',
    filenames: '.emacs _emacs Cask',
    interpreters: 'emacs',
    syntax: { ...lisp, escapes: '\\?' },
  },
  {
    name: 'Scheme',
    extensions: 'scm ss sld sls sps sch',
    interpreters: 'guile gosh chicken csi scheme bigloo',
    syntax: scheme,
  },
  {
    name: 'Racket',
    extensions: 'rkt rktd rktl scrbl',
    interpreters: 'racket',
    syntax: { ...lisp, line: [';'], block: [hashPipe] },
  },
  { name: 'Fennel', extensions: 'fnl', interpreters: 'fennel', syntax: lisp },
  { name: 'Hy', extensions: 'hy', interpreters: 'hy', syntax: lisp },
  { name: 'LFE', extensions: 'lfe', syntax: { ...lisp, block: [hashPipe] } },
  { name: 'NewLisp', extensions: 'nl', interpreters: 'newlisp', syntax: { line: [';', '#'], text: [longDouble] } },
  { name: 'Emacs Dev Env', extensions: 'ede srt', syntax: { line: [';;'] } },
  {
    name: 'Erlang',
    extensions: 'erl hrl escript app.src xrl yrl',
    filenames: 'rebar.config',
    interpreters: 'escript',
    syntax: { line: ['%'], text: [longDouble, single], escapes: '$' },
  },
  { name: 'Gleam', extensions: 'gleam', syntax: { line: ['//'], text: [longDouble] } },
  { name: 'Prolog', extensions: 'prolog yap plt', interpreters: 'swipl yap gprolog', syntax: prolog },
  { name: 'Logtalk', extensions: 'lgt logtalk', syntax: prolog },
  { name: 'AnsProlog', extensions: 'lp', syntax: { line: ['%'], block: [{ open: '%*', close: '*%' }] } },
  { name: 'Mercury', extensions: 'moo', syntax: { line: ['%'], block: [slashStar], text: [double] } },
  { name: 'Datalog', extensions: 'dl', syntax: { line: ['//'], block: [slashStar], text: [double] } },
  { name: 'CodeQL', extensions: 'ql qll', syntax: { line: ['//'], block: [slashStar], text: [double] } },
  {
    name: 'Rego',
    extensions: 'rego',
    syntax: { line: ['#'], text: [{ open: '`', close: '`', multiline: true }, double] },
  },
  {
    name: 'Factor',
    extensions: 'factor',
    syntax: { line: [{ mark: '!', place: 'spaced', notBefore: '=' }], block: [slashStar], text: [longDouble] },
  },
  {
    name: 'Forth',
    extensions: 'forth fth 4th',
    syntax: { line: [{ mark: '\\', place: 'spaced' }], block: [{ open: '( ', close: ')' }] },
  },
  {
    name: '8th',
    extensions: '8th',
    syntax: {
      line: [
        { mark: '\\', place: 'spaced' },
        { mark: '--', place: 'spaced' },
      ],
      block: [parenStar],
      text: [double],
    },
  },
  { name: 'Stratego', extensions: 'str', syntax: { line: ['//'], block: [slashStar], text: [double], chars: "'" } },
  { name: 'Mlatu', extensions: 'mlt', syntax: { line: ['//'], text: [double] } },
  { name: 'UMPL', extensions: 'umpl', syntax: { line: ['!'], text: [{ open: '`', close: '`' }] } },
  { name: 'Ur/Web Project', extensions: 'urp', syntax: { line: ['#'] } },
  {
    name: 'Emojicode',
    extensions: 'emojic 🍇',
    syntax: {
      line: ['💭'],
      block: [
        { open: '💭🔜', close: '🔚💭' },
        { open: '📘', close: '📘' },
        { open: '📗', close: '📗' },
      ],
      text: [{ open: '🔤', close: '🔤', escape: '❌', multiline: true }],
    },
  },
  {
    name: 'Wenyan',
    extensions: 'wy 文言',
    syntax: {
      block: ['批曰。', '注曰。', '疏曰。'].map((open) => ({ open, close: '」」。' })),
      text: [
        { open: '「「', close: '」」', multiline: true },
        { open: '『', close: '』', multiline: true },
      ],
    },
  },
  { name: 'Sema', extensions: 'sema', syntax: scheme },
  { name: 'Aria', extensions: 'aria', syntax: hashQuoted },
  { name: 'APL', extensions: 'apl dyalog', syntax: { line: ['⍝'], text: [{ open: "'", close: "'", doubled: true }] } },
  { name: 'BQN', extensions: 'bqn', syntax: { line: ['#'], text: [double] } },
  { name: 'Uiua', extensions: 'ua', syntax: { line: ['#'], text: [double] } },
  {
    name: 'Mathematica',
    extensions: 'nb wl wls wlt mathematica',
    interpreters: 'wolframscript',
    syntax: { block: [parenStar], text: [longDouble] },
  },
  { name: 'Modelica', extensions: 'mo', syntax: { line: ['//'], block: [slashStar], text: [longDouble] } },
  { name: 'MATLAB', extensions: 'matlab mlx', syntax: matlab('%') },
  { name: 'Octave', extensions: 'oct', interpreters: 'octave', syntax: matlab('%') },
  { name: 'LLVM IR', extensions: 'll', syntax: { line: [';'], text: [longDouble] } },
  { name: 'TeX', extensions: 'tex sty ltx bbx cbx dtx ins latex tikz', syntax: tex },
  { name: 'BibTeX', extensions: 'bib bst', syntax: { line: ['%'] } },
  { name: 'PostScript', extensions: 'ps eps epsi pfa', syntax: { line: ['%'] } },
  {
    name: 'Koka',
    extensions: 'kk',
    syntax: { line: ['//'], block: [nestedSlashStar], text: [longDouble], chars: "'" },
  },
  { name: 'Roc', extensions: 'roc', syntax: { line: ['#'], text: [tripleDouble, double] } },
  { name: 'Arturo', extensions: 'art', syntax: { line: [';'], text: [double] } },
  {
    name: 'Pyret',
    extensions: 'arr',
    syntax: { line: ['#'], block: [hashPipe], text: [{ open: '```', close: '```', multiline: true }, double, single] },
  },
];

/** In MATLAB a quote after a name or bracket transposes; elsewhere it opens a string that ends with its line. */
function matlab(mark: string) {
  const notAfter = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_)]}.'";
  return {
    line: [mark, { mark: '#', place: 'indent' as const }, '...'],
    block: [{ open: `${mark}{`, close: `${mark}}`, place: 'alone' as const, closePlace: 'alone' as const }],
    text: [
      { open: '"', close: '"', doubled: true },
      { open: "'", close: "'", doubled: true, notAfter },
    ],
  };
}
