/** Draws from the data package what names of files our own rows do not know, in the form of the checked-in table. */
import * as linguist from 'linguist-languages';
import { isAmbiguous } from '../../../workers/analysis/heuristics.js';
import { ownLanguages } from '../../../workers/analysis/languages/index.js';
import type { Language } from '../../../workers/analysis/languages/language.js';

/** A language as the package has it. */
interface Described {
  readonly name: string;
  readonly codemirrorMode?: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly interpreters?: readonly string[];
}

/** What the package calls otherwise than we do. */
const CALLED: Readonly<Record<string, string>> = {
  Text: 'Plain Text',
  'Roff Manpage': 'Roff',
  PLSQL: 'PL/SQL',
  Rebol: 'REBOL',
  'Win32 Message File': 'Windows Message File',
  Markdown: 'Markdown',
};

type Field = 'extensions' | 'filenames' | 'interpreters';
const FIELDS: readonly Field[] = ['extensions', 'filenames', 'interpreters'];

const described = Object.values(linguist as Readonly<Record<string, Described>>).filter(
  ({ name }) => typeof name === 'string',
);

/** The source of the table: a line for each language, with its mode of highlighting and the names that are its alone. */
export function knownNamesSource(): string {
  const own = Object.fromEntries(FIELDS.map((field) => [field, namesOf(ownLanguages, field)]));
  const claims = Object.fromEntries(FIELDS.map((field) => [field, countClaims(field)]));
  const rows = described.flatMap((language) => {
    const fresh = FIELDS.map((field) =>
      bare(language, field).filter((name) => {
        const known =
          own[field]?.has(name) ||
          (!name.startsWith('.') && own[field]?.has(name.toLowerCase())) ||
          isAmbiguous(name.toLowerCase());
        return !known && claims[field]?.get(name) === 1;
      }),
    );
    const name = CALLED[language.name] ?? language.name;
    return fresh.some((list) => list.length > 0)
      ? [[name, language.codemirrorMode ?? '', ...fresh.map((list) => list.join(' '))].join('|')]
      : [];
  });
  return [
    '/**',
    ' * Names of files that our own rows do not have, drawn from the package linguist-languages: language, mode of highlighting,',
    ' * extensions, file names, interpreters, then the next. A test holds it to the package; `UPDATE=1 npx vitest run known-names` draws it anew.',
    ' */',
    'export const KNOWN_NAMES = `',
    ...wrapped(rows.sort().map((row) => row.replace(/[`\\$]/g, '\\$&'))),
    '`;',
    '',
  ].join('\n');
}

/** Files by whose names the package knows one language alone, and for which no content is needed. */
export function claimedOnce(): string[] {
  const [extensions, filenames] = (['extensions', 'filenames'] as const).map((field) =>
    [...countClaims(field)]
      .filter(([name, claims]) => claims === 1 && !isAmbiguous(name.toLowerCase()))
      .map(([name]) => name),
  );
  return [...(extensions ?? []).map((extension) => `a.${extension}`), ...(filenames ?? [])];
}

/** Rows side by side, as many as fit a line. */
function wrapped(rows: readonly string[]): string[] {
  const lines: string[] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + row.length < 150) lines[lines.length - 1] = `${last} ; ${row}`;
    else lines.push(row);
  }
  return lines;
}

function countClaims(field: Field): ReadonlyMap<string, number> {
  const claims = new Map<string, number>();
  for (const language of described) {
    for (const name of new Set(bare(language, field))) claims.set(name, (claims.get(name) ?? 0) + 1);
  }
  return claims;
}

/** Extensions come with their first dot; names with spaces have no place in the table. */
function bare(language: Described, field: Field): string[] {
  const names = (language[field] ?? []).filter((name) => !/[\s|]/.test(name));
  return field === 'extensions' ? names.map((name) => name.replace(/^\./, '')) : names;
}

function namesOf(languages: readonly Language[], field: Field): ReadonlySet<string> {
  return new Set(languages.flatMap((language) => (language[field] ?? '').split(' ')));
}
