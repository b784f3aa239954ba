/** Tells languages by what others call them: a MIME type, a `lang`, the word behind a fence, an editor's mode. */
import { languages } from './languages/index.js';
import type { Language } from './languages/language.js';

/** Names in use for languages that neither their own name nor an ending covers, by language. */
const ALIASES: Readonly<Record<string, string>> = {
  JavaScript: 'javascript ecmascript module babel node mathjax-config',
  JSON: 'json importmap speculationrules',
  HTML: 'html template ng-template tmpl jquery-tmpl html5',
  Handlebars: 'handlebars handlebars-template',
  Mustache: 'mustache mustache-template tmpl-mustache',
  GLSL: 'glsl vertex fragment',
  Python: 'python python3 ipython ipython3 sage sagemath pycon',
  Shell: 'shell sh zsh-session shell-script',
  Go: 'golang',
  'C++': 'c++ cling',
  'C#': 'csharp',
  'F#': 'fsharp',
  'Objective-C': 'objc objectivec obj-c',
  Dockerfile: 'docker',
  Makefile: 'make makefile-gmake makefile-bsdmake',
  Perl: 'cperl',
  XML: 'nxml',
  INI: 'dosini conf',
  Batch: 'dosbatch',
  'Emacs Lisp': 'lisp-interaction',
  TeX: 'latex plaintex',
  PowerShell: 'pwsh',
  'Visual Basic': 'vbnet',
  'Protocol Buffers': 'protobuf',
  Assembly: 'assembly x86asm',
};
/** What these call their text stays a part of the text around it. */
const PROSE = new Set(['Plain Text', 'Other']);
let index: ReadonlyMap<string, Language> | undefined;

/** The language that a label means, such as `text/javascript`, `ts`, `C#` or `{.python`; undefined for prose and the unheard-of. */
export function languageCalled(label: string): Language | undefined {
  index ??= indexLabels();
  return index.get(plainLabel(label));
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
