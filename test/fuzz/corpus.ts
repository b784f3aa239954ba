/** What fuzzed inputs are made of: real sources where the ground truth lies, and the marks of every language's own row. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { languages } from '../../workers/analysis/languages/index.js';
import type { Language } from '../../workers/analysis/languages/language.js';
import type { Syntax } from '../../workers/analysis/lexer/syntax.js';

const GROUND_TRUTH = fileURLToPath(new URL('../../../shared/ground-truth/', import.meta.url));
const OWN_SOURCES = fileURLToPath(new URL('../../workers/analysis/', import.meta.url));

/** One file to start from. */
export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Every file of the ground truth; the sources of the analysis where it is not there. */
export function readSamples(): readonly Sample[] {
  const folder = existsSync(GROUND_TRUTH) ? GROUND_TRUTH : OWN_SOURCES;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'cases.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: basename(path), bytes: readFileSync(path) }));
}

/** A file name by which a language is known; those that share it with others may be taken for one of them. */
export function nameFor({ name, extensions, filenames, interpreters }: Language): string {
  const [extension] = (extensions ?? '').split(' ');
  if (extension) return `a.${extension}`;
  const [filename] = (filenames ?? '').split(' ');
  return filename || (interpreters ? 'tool' : `unnamed-${name}`);
}

/** Pieces that no row lists and that trouble scanners: line ends, encodings, delimiters of heredocs, modelines. */
const COMMON: readonly string[] = [
  ...[
    '\n',
    '\n',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '    ',
    '\f',
    '\v',
    '\\',
    '\\\n',
    '\\\r\n',
    '\0',
    'x',
    '1',
    'é',
    '\u{1f347}',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '/',
    '//',
    '/*',
    '*/',
    '#',
    '--',
    ';',
    '%',
    '|',
    ': |',
    '- >-',
    '= ',
    ',',
    '/[/*]/',
  ],
  ...[
    '"',
    "'",
    '`',
    '"""',
    "'''",
    '${',
    '#{',
    '<<EOF',
    'EOF',
    "<<~'A'",
    'A',
    '<<-"B"',
    'q{',
    'qw(',
    's/',
    'm!',
    '%w[',
    '%q',
    "1'0",
  ],
  ...[
    '<script>',
    '</script>',
    '<script type="text/html">',
    '<style lang=scss>',
    '</style>',
    '<template lang="pug">',
    '</template>',
  ],
  ...[
    '```',
    '```js',
    '~~~',
    '~~~ {.python}',
    '````',
    '---',
    '-#',
    '__END__',
    '__DATA__',
    '=pod',
    '=cut',
    '=begin',
    '=end',
  ],
  ...[
    '#!/usr/bin/env -S node\n',
    '/* vim: set ft=c: */',
    '-*- mode: ruby -*-',
    '@generated',
    'DO NOT EDIT',
    'R"x(',
    ')x"',
    'r##"',
    '"##',
  ],
];
const MARKS = new Map<Syntax, readonly string[]>();

/** The marks of a language and the common pieces. */
export function piecesOf({ syntax }: Language): readonly string[] {
  if (syntax === undefined) return COMMON;
  const known = MARKS.get(syntax);
  if (known) return known;
  // The language's own marks come as often as all others together.
  const own = marksOf(syntax);
  const often = own.length === 0 ? [] : Array.from({ length: Math.ceil(COMMON.length / own.length) }, () => own).flat();
  const pieces = [...often, ...COMMON];
  MARKS.set(syntax, pieces);
  return pieces;
}

/** Every mark that a row names. */
export function marksOf(syntax: Syntax): readonly string[] {
  return [
    ...(syntax.line ?? []).map((mark) => (typeof mark === 'string' ? mark : mark.mark)),
    ...(syntax.block ?? []).flatMap(({ open, close }) => [open, close]),
    ...(syntax.text ?? []).flatMap(({ open, close, interpolate = '' }) => [open, close, interpolate]),
    ...(syntax.fences ?? []).flatMap(({ open, fence, quote, close, tail = '' }) => [
      `${open}${fence}${quote}`,
      `${close}${fence}${tail}`,
    ]),
    ...(syntax.tags ?? []).flatMap(({ open, quote, close, tail }) => [`${open}a${quote}`, `${close}a${tail}`]),
    ...(syntax.elements ?? []).flatMap(({ tag }) => [`<${tag}>`, `<${tag} lang=ts>`, `</${tag}>`]),
    ...(syntax.codeBlocks ?? []).flatMap(({ mark }) => [mark.repeat(3), `\n${mark.repeat(3)}js\n`]),
    ...(syntax.heredoc
      ? [`${syntax.heredoc.mark}E`, `${syntax.heredoc.mark}${syntax.heredoc.flags.at(0) ?? ''}E`, '\nE\n']
      : []),
    ...(syntax.ends ?? []).map((word) => `\n${word}\n`),
    ...[...(syntax.chars ?? '')].map((mark) => `${mark}x${mark}`),
    ...(syntax.escapes ?? ''),
  ].filter((mark) => mark !== '');
}

/** All languages, for a fuzzer that is to meet each of them. */
export const everyLanguage: readonly Language[] = languages;
