/** Renders a page of a job's table for people and for programs. */
import { count } from '../core/figures.js';
import type { TablePage } from '../core/table.js';
import { alignedTable, emphasis, plainText } from './table.js';

/** Where the next page begins, if there is one. */
export function nextOffset({ offset, rows, total }: TablePage): number | undefined {
  const next = offset + rows.length;
  return rows.length > 0 && next < total ? next : undefined;
}

/** A page for programs, its rows as objects. */
export function sectionJson(jobId: string, page: TablePage) {
  const { name, columns, offset, rows, total, leftOut } = page;
  const next = nextOffset(page);
  return {
    job_id: jobId,
    section: name,
    columns,
    offset,
    rows: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null]))),
    total,
    ...(next !== undefined && { next_offset: next }),
    ...(leftOut > 0 && { left_out: leftOut }),
  };
}

/** A page as a table; columns of numbers are aligned to the right. */
export function renderSection({ name, columns, offset, rows, total, leftOut }: TablePage, colour: boolean): string {
  const style = emphasis(colour);
  const range = rows.length === 0 ? 'no rows' : `rows ${count(offset + 1)} to ${count(offset + rows.length)}`;
  const missing = leftOut === 0 ? '' : `; ${count(leftOut)} more did not fit and were not kept`;
  const summary = style.faint(`${name}: ${range} of ${count(total)}${missing}`);
  if (rows.length === 0) return summary;
  const heads = columns.map((head, at) => ({ head, right: rows.every((row) => typeof row[at] === 'number') }));
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? count(cell) : plainText(String(cell ?? '')))),
  );
  return `${alignedTable(heads, cells, style)}\n${summary}`;
}
