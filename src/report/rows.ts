/** The table of a report, of languages or of files, as heads and cells. */
import { counted } from '../core/figures.js';
import type { FileRow, LanguageRow, LineCounts, Report } from './analysis.js';

/** A table whose cells are text or numbers; `total` is its last row, of all rows, shown or not. */
export interface ReportTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number | undefined)[])[];
  readonly total: readonly (string | number | undefined)[];
  /** Rows there are beyond the shown ones. */
  readonly more: number;
  /** How many of the first columns hold names. */
  readonly names: number;
}

/** The files or languages of a report, as it says, no more than its `top`. */
export function tableOf(report: Report): ReportTable {
  return report.byFile && report.files ? fileTable(report, report.files) : languageTable(report);
}

/** The languages, whatever else the report shows. */
export function languageTable(report: Report): ReportTable {
  const { languages, analysis } = report;
  const heads = ['Language', 'Files', 'Lines', 'Code', 'Comments', 'Blanks', 'Bytes'];
  const cells = (row: LineCounts) => [row.files, row.lines, row.code, row.comments, row.blanks, row.bytes];
  return finish(report, {
    heads,
    rows: languages.map((row) => [row.language, ...cells(row)]),
    total: ['Total', ...cells(analysis.totals)],
    names: 1,
    complexity: languages.map((row: LanguageRow) => row.complexity),
  });
}

/** The given files. */
export function fileTable(report: Report, files: readonly FileRow[]): ReportTable {
  const heads = ['Path', 'Language', 'Lines', 'Code', 'Comments', 'Blanks', 'Bytes'];
  const { totals } = report.analysis;
  const cells = (row: Omit<LineCounts, 'files'>) => [row.lines, row.code, row.comments, row.blanks, row.bytes];
  return finish(report, {
    heads,
    rows: files.map((row) => [row.path, row.language, ...cells(row)]),
    total: ['Total', counted(totals.files, 'file'), ...cells(totals)],
    names: 2,
    complexity: files.map((row) => row.complexity),
  });
}

interface Draft extends Omit<ReportTable, 'more'> {
  readonly complexity: readonly (number | undefined)[];
}

/** Adds complexity where it was measured, and keeps the first rows. */
function finish({ analysis, top }: Report, { heads, rows, total, names, complexity }: Draft): ReportTable {
  const shown = top === undefined ? rows : rows.slice(0, top);
  const more = rows.length - shown.length;
  if (complexity.every((value) => value === undefined)) return { heads, rows: shown, total, more, names };
  const all = analysis.complexity?.status === 'failed' ? undefined : analysis.complexity?.totals.decisions;
  return {
    heads: [...heads, 'Complexity'],
    rows: shown.map((row, at) => [...row, complexity[at]]),
    total: [...total, all],
    more,
    names,
  };
}
