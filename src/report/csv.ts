/** A report as comma-separated values (RFC 4180): its table, of languages or of files. */
import type { Report } from './analysis.js';
import { tableOf } from './rows.js';

/** UTF-8 text without a byte order mark; a head, then a row for each language or file, without a total. */
export function csvReport(report: Report): string {
  const { heads, rows } = tableOf(report);
  const lines = [heads.map((head) => head.toLowerCase()), ...rows].map((row) => row.map(csvCell).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

/**
 * One cell. Text that a spreadsheet would run as a formula is led by an apostrophe, as OWASP's page on CSV injection
 * advises: names of files are not ours.
 */
export function csvCell(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const safe = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe;
}
