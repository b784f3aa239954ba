/** Reads a table that lies beside a result, a page at a time, from the server that made it. */
import { AppError } from '../core/errors.js';
import type { ReadText } from './call-tool.js';

/** The rows that were read, and how many did not fit what a job may store. */
export interface Rows {
  readonly rows: readonly unknown[];
  readonly leftOut: number;
}

/** The address of a table of the job that a result names. Throws when it names none. */
export function tableAddress(structured: unknown, section: string): string {
  const jobId = fieldOf(structured, 'job_id');
  if (typeof jobId !== 'string') throw unusable('its result names no job');
  return `job://${encodeURIComponent(jobId)}/${section}`;
}

/** Whether the job that a result tells of has written a table. */
export function hasTable(structured: unknown, section: string): boolean {
  const sections = fieldOf(structured, 'sections');
  return Array.isArray(sections) && sections.some((one) => fieldOf(one, 'section') === section);
}

/** Reads all pages. Throws when the server has no such table, or pages that cannot be made sense of. */
export async function readTable(uri: string, read: ReadText): Promise<Rows> {
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

/** One field of a value that a server gave; undefined where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A field of a row that must be a text. */
export function textOf(row: unknown, name: string): string {
  const value = fieldOf(row, name);
  if (typeof value !== 'string') throw unusable(`a row lacks ${name}`);
  return value;
}

/** A field of a row that must be a number. */
export function numberOf(row: unknown, name: string): number {
  const value = fieldOf(row, name);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw unusable(`a row lacks ${name}`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable('a page is no JSON', error);
  }
}

function unusable(why: string, cause?: unknown): AppError {
  return new AppError('handler_failed', `The server told no usable rows: ${why}. Is it as new as this command?`, {
    cause,
  });
}
