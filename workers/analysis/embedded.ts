/** Finds languages by what other texts call them: a MIME type, a `lang`, the word behind a fence, a kernel's language. */
import { languageCalled } from './labels.js';
import type { Language } from './languages/language.js';
import { compileSyntax, type Embedded, type Lexer } from './lexer/compile.js';
import type { Syntax } from './lexer/syntax.js';

/** The compiled languages of one thread, each compiled when first needed. */
export interface Lexers {
  of(language: Language): Lexer;
  /** The language that a label means, such as `text/javascript`, `ts`, `C#` or `{.python`; undefined for prose and the unheard-of. */
  find(label: string): Embedded | undefined;
}

const NO_SYNTAX: Syntax = {};

/** Creates the lexers of one thread. */
export function createLexers(): Lexers {
  const compiled = new Map<Syntax, Lexer>();

  function of({ syntax = NO_SYNTAX }: Language): Lexer {
    const seen = compiled.get(syntax);
    if (seen) return seen;
    const lexer = compileSyntax(syntax, find);
    compiled.set(syntax, lexer);
    return lexer;
  }

  function find(label: string): Embedded | undefined {
    const language = languageCalled(label);
    return language && { language: language.name, lexer: of(language) };
  }

  return { of, find };
}
