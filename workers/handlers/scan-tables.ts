/** The tables of a scan, written while it counts: one row a file, counted or skipped, in the order of the list. */
import type { Section } from '../../src/core/table.js';
import type { HandlerContext } from '../../src/core/tool.js';
import {
  CHUNK_FILES,
  type CountedChunk,
  FILE_COLUMNS,
  type RecalledScan,
  type RowBlock,
  type Skip,
} from '../analysis/scan.js';

/** Every counted file. */
export const FILES: Section = { name: 'files', columns: FILE_COLUMNS };
/** Every file that was found and not counted: first those that listing set aside, then those that counting did. */
export const SKIPPED: Section = { name: 'skipped', columns: ['path', 'reason'] };

/** Chunks written together: few enough to hold little of a large tree, enough to compress well. */
const CHUNKS_A_SLICE = 4;
/** The slices of the listing come before those of the count. */
const LISTED_SLICE = 0;
const FIRST_COUNTED_SLICE = 1;

/** See `createScanTables`. */
export interface ScanTables {
  /** Takes a counted chunk; chunks may come in any order. */
  note(chunk: CountedChunk): void;
  /** Resolves once all rows are stored; rejects if some cannot be. */
  written(): Promise<void>;
}

type TableContext = Pick<HandlerContext, 'table'>;

/** Writes what listing skipped, and with it opens both sections: they are there even for an empty folder. */
export async function beginScanTables(context: TableContext, skips: readonly Skip[]): Promise<void> {
  await context.table(FILES, [], LISTED_SLICE);
  await context.table(SKIPPED, listedRows(skips), LISTED_SLICE);
}

/**
 * Writes the tables of a scan that was recalled as a whole. They lie in the slices of the listing: should the worker die before
 * the job knows of it, and the next one find the tree changed, these are the slices that it begins with.
 */
export async function writeRecalledTables(context: TableContext, scan: RecalledScan): Promise<void> {
  const rows = [...listedRows(scan.listedSkips), ...scan.countedSkips.map(skipRow)];
  await context.table(FILES, { blocks: scan.blocks }, LISTED_SLICE);
  await context.table(SKIPPED, rows, LISTED_SLICE);
}

function listedRows(skips: readonly Skip[]): [path: string, reason: string][] {
  return skips.map(skipRow).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Writes the rows of a count of so many files as its chunks come in. */
export function createScanTables(context: TableContext, files: number): ScanTables {
  const chunks = Math.ceil(files / CHUNK_FILES);
  const unwritten = new Map<number, CountedChunk[]>();
  const skips = new Map<number, readonly Skip[]>();
  const writes: Promise<void>[] = [];

  function write(slice: number, parts: readonly CountedChunk[]): void {
    const blocks = inOrder(parts.map(({ index, rows }): [number, RowBlock[]] => [index, rows ? [rows] : []]));
    const done = context.table(FILES, { blocks }, FIRST_COUNTED_SLICE + slice);
    // It is told by `written`; until then nobody else listens.
    done.catch(() => undefined);
    writes.push(done);
  }

  return {
    note(chunk) {
      skips.set(chunk.index, chunk.skips);
      const slice = Math.floor(chunk.index / CHUNKS_A_SLICE);
      const parts = [...(unwritten.get(slice) ?? []), chunk];
      unwritten.set(slice, parts);
      if (parts.length < Math.min(CHUNKS_A_SLICE, chunks - slice * CHUNKS_A_SLICE)) return;
      unwritten.delete(slice);
      write(slice, parts);
    },
    async written() {
      await Promise.all(writes);
      await context.table(SKIPPED, inOrder([...skips]).map(skipRow), FIRST_COUNTED_SLICE);
    },
  };
}

function inOrder<Item>(chunks: readonly (readonly [index: number, items: readonly Item[]])[]): Item[] {
  return [...chunks].sort(([a], [b]) => a - b).flatMap(([, items]) => items);
}

function skipRow({ path, reason }: Skip): [path: string, reason: string] {
  return [path, reason];
}
