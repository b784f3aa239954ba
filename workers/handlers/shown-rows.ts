/** Rows of files as clients may see them: names that hold secrets are taken out where there are any, which is seldom. */
import { asJson } from '../../src/core/json.js';
import type { JsonRedactor, NameGuard } from '../../src/core/redaction.js';
import { type Row, rowsOf } from '../../src/core/table.js';
import { type FileRow, packRows, type RowBlock } from '../analysis/scan.js';

/** Who knows secrets. */
export interface NameSearch {
  readonly guard: NameGuard;
  readonly redactor: Pick<JsonRedactor, 'redactJson'>;
}

/** The block of a chunk in which a name holds a secret, with its names as they may be seen. */
export async function shownBlock(block: RowBlock, search: NameSearch): Promise<RowBlock> {
  const rows = rowsOf({ blocks: [block] }) as readonly FileRow[];
  return packRows(await shownRows(rows, search)) ?? block;
}

/** Rows whose first cell is a name. */
export async function shownRows<Named extends Row>(rows: readonly Named[], search: NameSearch): Promise<Named[]> {
  const held = rows.filter(([name]) => search.guard.holdsSecret(String(name)));
  if (held.length === 0) return [...rows];
  const names = (await search.redactor.redactJson(asJson(held.map(([name]) => name)))) as string[];
  const clean = new Map(held.map((row, index) => [row, names[index] ?? '']));
  // A name takes the place of a name.
  return rows.map((row) => (clean.has(row) ? ([clean.get(row), ...row.slice(1)] as unknown as Named) : row));
}
