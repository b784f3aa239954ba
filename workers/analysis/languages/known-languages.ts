/** Adds to our own rows the names of files that only the data package knows, under its names for their languages. */
import type { Syntax } from '../lexer/syntax.js';
import { cLike, css, hashed, haskell, javascript, lisp, markup, ml, page, slashed, sql } from './families.js';
import { KNOWN_NAMES } from './known-names.js';
import type { Language } from './language.js';

/** How the lines of a language are told that we know by its mode of highlighting alone; one without has no comments. */
const BY_MODE: Readonly<Record<string, Syntax>> = {
  clike: cLike,
  javascript,
  rust: slashed,
  go: slashed,
  xml: markup,
  htmlmixed: page,
  htmlembedded: page,
  shell: hashed,
  yaml: hashed,
  python: hashed,
  ruby: hashed,
  properties: hashed,
  commonlisp: lisp,
  clojure: lisp,
  scheme: lisp,
  haskell,
  mllike: ml,
  sql,
  css,
};

/** Our own languages with further names, then those that are known by name alone. */
export function withKnownNames(own: readonly Language[]): readonly Language[] {
  const known = new Map<string, Language>();
  for (const row of KNOWN_NAMES.trim().split(/\n| ; /)) {
    const [name = '', mode = '', extensions = '', filenames = '', interpreters = ''] = row.split('|');
    const syntax = BY_MODE[mode];
    const before = known.get(name) ?? { name };
    const more = { name, extensions, filenames, interpreters, ...(syntax && { syntax }) };
    known.set(name, { ...joined(before, more), ...(syntax && { syntax }) });
  }
  const extended = own.map((language) => joined(language, known.get(language.name)));
  const names = new Set(own.map(({ name }) => name));
  return [...extended, ...[...known.values()].filter(({ name }) => !names.has(name))];
}

function joined(language: Language, more: Language | undefined): Language {
  if (more === undefined) return language;
  return {
    ...language,
    extensions: words(language.extensions, more.extensions),
    filenames: words(language.filenames, more.filenames),
    interpreters: words(language.interpreters, more.interpreters),
  };
}

function words(first = '', second = ''): string {
  return `${first} ${second}`.trim();
}
