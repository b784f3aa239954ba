/** Fetches the rows of all files of an analysis, with the decision points of each where they were measured. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { FileRow } from '../report/analysis.js';
import type { ReadText } from './call-tool.js';
import { fieldOf, hasTable, numberOf, readTable, tableAddress, textOf } from './read-table.js';

/** The rows there are, and how many did not fit what a job may store. */
export interface FileTable {
  readonly rows: readonly FileRow[];
  readonly leftOut: number;
}

const FILES = 'files';
const COMPLEXITY = 'complexity';

/** Reads all pages. Throws when the server has no such table, or pages that cannot be made sense of. */
export async function fetchFileTable({ structuredContent }: CallToolResult, read: ReadText): Promise<FileTable> {
  const files = await readTable(tableAddress(structuredContent, FILES), read);
  const isMeasured = hasTable(structuredContent, COMPLEXITY);
  const measured = isMeasured ? (await readTable(tableAddress(structuredContent, COMPLEXITY), read)).rows : [];
  const decisions = new Map(measured.map((row) => [fieldOf(row, 'path'), fieldOf(row, 'decisions')]));
  // The table has no rows of files in which nothing decides; only if it is whole does that follow for those it lacks.
  const isWhole = fieldOf(fieldOf(structuredContent, 'complexity'), 'status') === 'complete';
  const complexityOf = (row: unknown) => decisions.get(fieldOf(row, 'path')) ?? (isWhole ? 0 : undefined);
  return { rows: files.rows.map((row) => fileRow(row, complexityOf(row))), leftOut: files.leftOut };
}

function fileRow(row: unknown, complexity: unknown): FileRow {
  return {
    path: textOf(row, 'path'),
    language: textOf(row, 'language'),
    lines: numberOf(row, 'lines'),
    code: numberOf(row, 'code'),
    comments: numberOf(row, 'comments'),
    blanks: numberOf(row, 'blanks'),
    bytes: numberOf(row, 'bytes'),
    ...(typeof complexity === 'number' && { complexity }),
  };
}
