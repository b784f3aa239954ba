/** Puts the rows of a report into the order asked for. */
import type { Analysis, FileRow, LanguageRow } from './analysis.js';

/** What tables may be sorted by. */
export const SORT_KEYS = ['lines', 'code', 'comments', 'blanks', 'files', 'bytes', 'complexity', 'name'] as const;

/** See `SORT_KEYS`. */
export type SortKey = (typeof SORT_KEYS)[number];

type Sortable = { readonly [key in Exclude<SortKey, 'name'>]?: number };

/** The languages of an analysis with their complexity, largest first or by name; equal ones by name. */
export function sortedLanguages(analysis: Analysis, key: SortKey): LanguageRow[] {
  const { complexity } = analysis;
  const measured = complexity && complexity.status !== 'failed' ? complexity.by_language : [];
  const decisions = new Map(measured.map((row) => [row.language, row.decisions]));
  const rows = analysis.by_language.map((row): LanguageRow => {
    const found = decisions.get(row.language);
    return found === undefined ? row : { ...row, complexity: found };
  });
  return sorted(rows, key, ({ language }) => language);
}

/** Files, largest first or by path; equal ones by path. */
export function sortedFiles(files: readonly FileRow[], key: SortKey): FileRow[] {
  return sorted(files, key, ({ path }) => path);
}

function sorted<Row extends Sortable>(rows: readonly Row[], key: SortKey, nameOf: (row: Row) => string): Row[] {
  // By code unit, not by locale: the same rows come in the same order on every machine.
  const byName = (a: Row, b: Row) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
  if (key === 'name') return [...rows].sort(byName);
  return [...rows].sort((a, b) => (b[key] ?? -1) - (a[key] ?? -1) || byName(a, b));
}
