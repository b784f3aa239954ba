/**
 * The one place that all names and texts of a tree pass on their way to clients and into the store: names of files, functions
 * and packages are as others wrote them, so they may hold secrets, and bytes that are no text.
 */
import type { JsonValue } from '../../../src/core/json.js';
import type { JsonRedactor } from '../../../src/core/redaction.js';
import { rowsOf, rowsSchema, type TableRows } from '../../../src/core/table.js';
import type { HandlerContext } from '../../../src/core/tool.js';
import { printablePath } from '../../analysis/paths.js';

/** Takes secrets out of values. */
export type Redacts = Pick<JsonRedactor, 'redactJson'>;

/** Rows that are searched for secrets together. */
const SEARCHED_ROWS = 1_000;

/** A value as clients may see it; showing it twice changes nothing more. */
export function shown(value: JsonValue, redactor: Redacts): Promise<JsonValue> {
  return redactor.redactJson(printable(value));
}

/** Tables as clients may see them. */
export function shownTables(
  context: Pick<HandlerContext, 'table'>,
  redactor: Redacts,
): (...written: Parameters<HandlerContext['table']>) => Promise<void> {
  return async (section, rows, slice) => context.table(section, await shownRows(rows, redactor), slice);
}

async function shownRows(written: TableRows, redactor: Redacts): Promise<TableRows> {
  const rows = rowsOf(written);
  const clean: JsonValue[] = [];
  for (let start = 0; start < rows.length; start += SEARCHED_ROWS) {
    const some = rows.slice(start, start + SEARCHED_ROWS).map((row): JsonValue => [...row]);
    clean.push(await shown(some, redactor));
  }
  return rowsSchema.parse(clean.flat());
}

function printable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return printablePath(value);
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, printable(inner)]));
}
