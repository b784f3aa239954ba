/** Finds languages by what other texts call them: a MIME type, a `lang`, the word behind a fence, a kernel's language. */
import { languages } from './languages/index.js';
import type { Language } from './languages/language.js';
import { compileSyntax, type Embedded, type Lexer } from './lexer/compile.js';
import type { Syntax } from './lexer/syntax.js';

/** The compiled languages of one thread, each compiled when first needed. */
export interface Lexers {
  of(language: Language): Lexer;
  /** The language that a label means, such as `text/javascript`, `ts`, `C#` or `{.python`; undefined for prose and the unheard-of. */
  find(label: string): Embedded | undefined;
}

/** Names in use for languages that neither their own name nor an ending covers, by language. */
const ALIASES: Readonly<Record<string, string>> = {
  JavaScript: 'javascript ecmascript module babel node mathjax-config',
  JSON: 'json importmap speculationrules',
  HTML: 'html template ng-template tmpl jquery-tmpl html5',
  Handlebars: 'handlebars handlebars-template',
  Mustache: 'mustache mustache-template tmpl-mustache',
  GLSL: 'glsl vertex fragment',
  Python: 'python python3 ipython ipython3 sage sagemath pycon',
  Shell: 'shell sh zsh-session',
  Go: 'golang',
  'C++': 'c++ cling',
  'C#': 'csharp',
  'F#': 'fsharp',
  'Objective-C': 'objc objectivec obj-c',
  Dockerfile: 'docker',
  Makefile: 'make',
  PowerShell: 'pwsh',
  'Visual Basic': 'vbnet',
  'Protocol Buffers': 'protobuf',
  Assembly: 'assembly x86asm',
};
/** What these call their text stays a part of the text around it. */
const PROSE = new Set(['Plain Text', 'Other']);
const NO_SYNTAX: Syntax = {};

/** Creates the lexers of one thread. */
export function createLexers(): Lexers {
  const byLabel = indexLabels();
  const compiled = new Map<Syntax, Lexer>();

  function of({ syntax = NO_SYNTAX }: Language): Lexer {
    const seen = compiled.get(syntax);
    if (seen) return seen;
    const lexer = compileSyntax(syntax, find);
    compiled.set(syntax, lexer);
    return lexer;
  }

  function find(label: string): Embedded | undefined {
    const language = byLabel.get(plainLabel(label));
    return language && { language: language.name, lexer: of(language) };
  }

  return { of, find };
}

/** `application/ld+json; charset=utf-8` is `json`, `text/x-scss` is `scss`. */
function plainLabel(label: string): string {
  const [type = ''] = label.toLowerCase().split(';', 1);
  const subtype = type.slice(type.lastIndexOf('/') + 1).replace(/^x-/, '');
  return subtype.endsWith('+json') ? 'json' : subtype;
}

/** Aliases come before names, names before endings and interpreters; of equals the earlier row has the label, as with files. */
function indexLabels(): ReadonlyMap<string, Language> {
  const table = new Map<string, Language>();
  const known = languages.filter(({ name }) => !PROSE.has(name));
  const fields: readonly ((language: Language) => string | undefined)[] = [
    ({ name }) => ALIASES[name],
    ({ name }) => name.replaceAll(' ', '-'),
    ({ extensions }) => extensions,
    ({ filenames }) => filenames,
    ({ interpreters }) => interpreters,
  ];
  const all = fields.flatMap((field) => known.map((language) => ({ language, words: labels(field(language)) })));
  for (const { language, words } of all) {
    for (const label of words) if (!table.has(label)) table.set(label, language);
  }
  return table;
}

/** Endings that are mere numbers, as those of manual pages, name nothing here. */
function labels(words = ''): string[] {
  return words
    .toLowerCase()
    .split(' ')
    .filter((word) => /^[a-z]/.test(word));
}
