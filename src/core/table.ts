/** Tables beside a job's result: sections of rows that are too many to return, read a page at a time. */
import { inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { type PartOf, placeInGroup } from './part.js';

/** What a cell may hold. */
export const cellSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** See `cellSchema`. */
export type Cell = z.output<typeof cellSchema>;

/** Rows as a store reads them back. */
export const rowsSchema = z.array(z.array(cellSchema));

/** Columns as a store reads them back. */
export const columnsSchema = z.array(z.string());

/** The cells of one row, in the order of its section's columns. */
export type Row = readonly Cell[];

/** A named table of a job; what handlers declare once for each section they write. */
export interface Section {
  /** `^[a-z][a-z0-9_]{0,39}$`; not `log`, which names a resource of another kind. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** Rows that were packed where they were made, in the form in which a store may keep them. */
export interface RowBlock {
  /** How many rows; at least one. */
  readonly count: number;
  /** The JSON of an array of the rows, deflated without a header (RFC 1951). */
  readonly deflated: Uint8Array;
}

/** Rows one by one, or in blocks that pass through without being taken apart. */
export type TableRows = readonly Row[] | { readonly blocks: readonly RowBlock[] };

/** Rows of a section that are written together. The slices of a section are read in the order of their numbers. */
export interface TableSlice extends Section {
  readonly slice: number;
  readonly rows: TableRows;
}

/** What there is of a section. */
export interface SectionSize extends Section {
  readonly rows: number;
  /** Rows that did not fit what a job may store; they are in no page. */
  readonly leftOut: number;
}

/** Which rows are asked for. */
export interface PageQuery {
  readonly section: string;
  /** Rows before the first one wanted. */
  readonly offset: number;
  readonly limit: number;
}

/** Some rows of a section. */
export interface TablePage extends Section {
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Rows in all pages. */
  readonly total: number;
  /** See `SectionSize`. */
  readonly leftOut: number;
}

/** Slices of one job or part in a section. */
export const MOST_SLICES = 100_000;

const NAME = /^(?!log$)[a-z][a-z0-9_]{0,39}$/;

/** Throws if a slice is not as its section says; the fault is the tool's. */
export function checkSlice({ name, columns, slice, rows }: TableSlice): void {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot name a section; expected ${NAME.source}`);
  if (!Number.isInteger(slice) || slice < 0 || slice >= MOST_SLICES)
    throw new RangeError(`slice ${slice} of section ${name}: expected a whole number from 0 to ${MOST_SLICES - 1}`);
  if ('blocks' in rows) return;
  const odd = rows.find((row) => row.length !== columns.length);
  if (odd) throw new TypeError(`section ${name} has ${columns.length} columns, and a row of it ${odd.length} cells`);
}

/** The rows of a slice; throws if a block is not what its maker said. */
export function rowsOf(rows: TableRows): readonly Row[] {
  if (!('blocks' in rows)) return rows;
  return rows.blocks.flatMap(({ count, deflated }) => {
    const unpacked = rowsSchema.parse(JSON.parse(inflateRawSync(deflated).toString()));
    if (unpacked.length !== count) throw new TypeError(`a block of ${count} rows holds ${unpacked.length}`);
    return unpacked;
  });
}

/** Where a slice lies in its section: what the job itself wrote comes first, then its parts by fan-out and index. Sorts as text. */
export function placeOf(slice: number, partOf?: PartOf): string {
  const [group, index] = partOf ? [encodeURIComponent(partOf.group), placeInGroup(partOf.key)] : ['', 0];
  return `${group} ${padded(index)} ${padded(slice)}`;
}

/** A number as text that sorts as the number does. */
export function padded(value: number): string {
  return String(value).padStart(10, '0');
}
