/** Fetches the rows of all files of an analysis, a page at a time, from the server that made it. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppError } from '../core/errors.js';
import type { FileRow } from '../report/analysis.js';
import type { ReadText } from './call-tool.js';

/** The rows there are, and how many did not fit what a job may store. */
export interface FileTable {
  readonly rows: readonly FileRow[];
  readonly leftOut: number;
}

const FILES = 'files';
const COMPLEXITY = 'complexity';

/** Reads all pages, with the decision points of files if they were measured. Throws when the server has no such table, or pages that cannot be made sense of. */
export async function fetchFileTable({ structuredContent }: CallToolResult, read: ReadText): Promise<FileTable> {
  const jobId = fieldOf(structuredContent, 'job_id');
  if (typeof jobId !== 'string') throw unusable('its result names no job');
  const job = `job://${encodeURIComponent(jobId)}`;
  const files = await readTable(`${job}/${FILES}`, read);
  const sections = fieldOf(structuredContent, 'sections');
  const isMeasured = Array.isArray(sections) && sections.some((one) => fieldOf(one, 'section') === COMPLEXITY);
  const measured = isMeasured ? (await readTable(`${job}/${COMPLEXITY}`, read)).rows : [];
  const decisions = new Map(measured.map((row) => [fieldOf(row, 'path'), fieldOf(row, 'decisions')]));
  return { rows: files.rows.map((row) => fileRow(row, decisions)), leftOut: files.leftOut };
}

interface Rows {
  readonly rows: readonly unknown[];
  readonly leftOut: number;
}

async function readTable(uri: string, read: ReadText): Promise<Rows> {
  const rows: unknown[] = [];
  let leftOut = 0;
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const page = parsePage(await readPage(read, `${uri}?offset=${offset}`));
    for (const row of page.rows) rows.push(row);
    leftOut = page.leftOut;
    // A server that does not move on would be read for ever.
    if (page.next !== undefined && page.next <= offset)
      throw unusable(`the page after ${offset} starts at ${page.next}`);
    offset = page.next;
  }
  return { rows, leftOut };
}

/** What a server says that knows no such resource is about its address, which nobody typed. */
async function readPage(read: ReadText, uri: string): Promise<string> {
  try {
    return await read(uri);
  } catch (error) {
    const isRefusal = error instanceof AppError && (error.code === 'internal' || error.code === 'invalid_arguments');
    throw isRefusal ? unusable(error.message, error) : error;
  }
}

interface Page extends Rows {
  readonly next: number | undefined;
}

function parsePage(text: string): Page {
  const page = parseJson(text);
  const rows = fieldOf(page, 'rows');
  if (!Array.isArray(rows)) throw unusable('a page has no rows');
  const next = fieldOf(page, 'next_offset');
  const leftOut = fieldOf(page, 'left_out');
  return {
    rows,
    next: typeof next === 'number' ? next : undefined,
    leftOut: typeof leftOut === 'number' ? leftOut : 0,
  };
}

function fileRow(row: unknown, decisions: ReadonlyMap<unknown, unknown>): FileRow {
  const text = (name: string) => {
    const value = fieldOf(row, name);
    return typeof value === 'string' ? value : fault(name);
  };
  const whole = (name: string) => {
    const value = fieldOf(row, name);
    return typeof value === 'number' && Number.isFinite(value) ? value : fault(name);
  };
  const complexity = decisions.get(fieldOf(row, 'path'));
  return {
    path: text('path'),
    language: text('language'),
    lines: whole('lines'),
    code: whole('code'),
    comments: whole('comments'),
    blanks: whole('blanks'),
    bytes: whole('bytes'),
    ...(typeof complexity === 'number' && { complexity }),
  };
}

function fault(name: string): never {
  throw unusable(`a row lacks ${name}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable('a page is no JSON', error);
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function unusable(why: string, cause?: unknown): AppError {
  return new AppError(
    'handler_failed',
    `The server told no usable rows of files: ${why}. Is it as new as this command?`,
    {
      cause,
    },
  );
}
