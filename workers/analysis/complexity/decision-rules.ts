/** Which words and operators of a language decide between ways on: the table behind decision points. */
import { data } from '../languages/data.js';
import { plain } from '../languages/plain.js';
import { web } from '../languages/web.js';

/** What decides in one language, space-separated. */
export interface DecisionRules {
  readonly words: string;
  /** Rows of characters; the longest that fits counts. */
  readonly operators: string;
  /** Longer rows that hold an operator and decide nothing: the `?.` of an access, the `?:` of an optional property. */
  readonly not?: string;
  readonly ignoreCase?: boolean;
  /** What else than letters and digits names are made of: the hyphen of Lisp and COBOL. */
  readonly within?: string;
  /** What a name may end with: Ruby's `empty?`. */
  readonly tail?: string;
  /** A word after which none decides: that of `END IF`. */
  readonly closer?: string;
}

const LOGIC = '&& ||';
const braces: DecisionRules = {
  words: 'if for while case catch',
  operators: `${LOGIC} ?`,
  not: '?. ?? ?: ?) ?, ?> ?]',
};
const script = { ...braces, operators: `${LOGIC} ? ?. ??`, not: '?: ?) ?, ?> ?] ?;' };
const sharp = { ...braces, words: 'if for foreach while case catch', operators: `${LOGIC} ? ??` };
const shell = { words: 'if elif for while until case select', operators: LOGIC };
const ruby = {
  words: 'if elsif unless while until for when rescue and or',
  operators: `${LOGIC} ?`,
  not: '?( ?)',
  tail: '?!',
};
const worded = {
  words: 'if elseif elsif elif while until for case when and or',
  operators: '',
  ignoreCase: true,
  closer: 'end',
};
const functional = { words: 'if when case match function', operators: LOGIC };
const lisp = {
  words: 'if if-not if-let when when-not when-let unless cond case and or while dolist dotimes',
  operators: '',
  within: '-?!*<>=/+.',
};
/** For languages that nobody has made a row for. */
const common = {
  words: 'if elif elsif elseif unless for foreach while until case when catch except rescue and or',
  operators: LOGIC,
};
const NOTHING: DecisionRules = { words: '', operators: '' };

/** By rules: the languages that have them. */
const ROWS: readonly (readonly [DecisionRules, string])[] = [
  [
    braces,
    'C|C Header|C++|C++ Header|C++ Module|Objective-C|Objective-C++|Objective-C Header|Arduino|CUDA|OpenCL|GLSL|HLSL|' +
      'Metal|Java|Apex|Processing|AspectJ|Vala|D|Haxe|SWIG|Logos|QML|AngelScript|Squirrel|Pike|Bison|Lex',
  ],
  [script, 'JavaScript|TypeScript|TSX|Vue|Svelte|Astro|ActionScript|Glimmer JS|Glimmer TS|Dart'],
  [sharp, 'C#|C# Designer'],
  [{ ...braces, words: 'if elseif for foreach while case catch and or', operators: `${LOGIC} ? ??` }, 'PHP|Hack'],
  [{ words: 'if for case', operators: LOGIC }, 'Go|templ'],
  [{ words: 'if for while loop match', operators: `${LOGIC} ?` }, 'Rust'],
  [{ words: 'if guard for while repeat case catch', operators: `${LOGIC} ??` }, 'Swift'],
  [{ words: 'if for while when catch', operators: `${LOGIC} ?:` }, 'Kotlin|Groovy|Gradle'],
  [{ words: 'if for while case catch match', operators: LOGIC }, 'Scala'],
  [
    { words: 'if elif for while except case and or', operators: '' },
    'Python|Cython|Starlark|Snakemake|Vyper|Mojo|GDScript|Nim|BitBake',
  ],
  [ruby, 'Ruby|Crystal'],
  [{ words: 'if unless for when rescue catch and or', operators: LOGIC, tail: '?!' }, 'Elixir'],
  [{ words: 'if elsif unless while until for foreach and or', operators: `${LOGIC} ?` }, 'Perl|Raku'],
  [{ words: 'if elseif while repeat for and or', operators: '' }, 'Lua|Luau|Teal|MoonScript'],
  [shell, 'Shell|Bash|Zsh|Korn Shell|C Shell|PKGBUILD|Ebuild|Fish'],
  [{ ...worded, words: 'if elseif for foreach while until switch catch', operators: '-and -or' }, 'PowerShell'],
  [{ ...worded, words: 'if for' }, 'Batch'],
  [{ ...worded, words: 'if when then' }, 'MUMPS'],
  [{ ...worded, words: 'if elseif for while until case and or' }, 'Visual Basic|VB6/VBA|VBScript|BASIC|FreeBASIC'],
  [{ ...worded, words: 'if elseif do case where', operators: '.and. .or. .AND. .OR.' }, 'Fortran|Fortran 77'],
  [{ ...worded, words: 'if elsif while for when and or' }, 'Ada|VHDL|SparForte|PL/SQL'],
  [{ ...worded, words: 'if while repeat for case and or except' }, 'Pascal|Modula-2|Oberon'],
  [{ ...worded, words: 'if when until and or', within: '-' }, 'COBOL'],
  [{ ...worded, words: 'when if elseif elsif while and or' }, 'SQL'],
  [functional, 'OCaml|ReasonML|ReScript|F#|Standard ML|Haskell|PureScript|Elm'],
  [{ words: 'if case when catch andalso orelse', operators: '' }, 'Erlang'],
  [lisp, 'Common Lisp|Emacs Lisp|Scheme|Racket|Clojure|Fennel|Hy|LFE'],
  [{ words: 'if for while switch', operators: '&& || & |' }, 'R|MATLAB|Octave'],
  [{ words: 'if elseif for while catch', operators: `${LOGIC} ?` }, 'Julia'],
  [{ words: 'if elseif foreach while', operators: '', ignoreCase: true }, 'CMake'],
  [{ words: 'ifeq ifneq ifdef ifndef', operators: '' }, 'Makefile'],
  [
    { words: 'if for while case', operators: `${LOGIC} ?` },
    'Verilog|SystemVerilog|AWK|Solidity|Zig|V|Odin|Device Tree',
  ],
  [NOTHING, 'Assembly|GNU Assembly|WebAssembly|LLVM IR|Roff|TeX|BibTeX|Go Module|Go Checksums'],
];

const byLanguage = new Map(ROWS.flatMap(([rules, names]) => names.split('|').map((name) => [name, rules] as const)));
const WITHOUT = new Set([...data, ...plain, ...web, { name: 'Other' }].map(({ name }) => name));

/** The rules of a language by name; data, markup and prose have none that decide. */
export function decisionRulesOf(language: string): DecisionRules {
  return byLanguage.get(language) ?? (WITHOUT.has(language) ? NOTHING : common);
}

/** The languages with rules of their own, for the test that holds their names to the list of languages. */
export const languagesWithDecisionRules: readonly string[] = [...byLanguage.keys()];
