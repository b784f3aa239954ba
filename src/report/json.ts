/** A report for programs: the structured result of the tool as it is and, by file, the rows of files. */
import type { Report } from './analysis.js';

/** What `--json` prints and `.json` files hold. */
export function jsonDocument({ structured, files, byFile, top, filesLeftOut }: Report): Record<string, unknown> {
  if (!byFile || !files) return structured;
  const rows = top === undefined ? files : files.slice(0, top);
  // Every row has every field, so that a program need not ask which.
  const shown = rows.map((row) => ({ ...row, complexity: row.complexity ?? null }));
  return { ...structured, files: shown, ...(filesLeftOut > 0 && { files_left_out: filesLeftOut }) };
}

/** The document as indented text, with all rows of what metrics found. */
export function jsonReport(report: Report): string {
  const { tables = {} } = report;
  const found = Object.keys(tables).length > 0 ? { tables } : {};
  return `${JSON.stringify({ ...jsonDocument(report), ...found }, null, 2)}\n`;
}
