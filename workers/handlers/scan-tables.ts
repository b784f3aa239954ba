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
import { type NameSearch, shownBlock, shownRows } from './shown-rows.js';

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
export async function beginScanTables(
  context: TableContext,
  search: NameSearch,
  skips: readonly Skip[],
): Promise<void> {
  await context.table(FILES, [], LISTED_SLICE);
  await context.table(SKIPPED, await shownRows(listedRows(skips), search), LISTED_SLICE);
}

/**
 * Writes the tables of a scan that was recalled as a whole. They lie in the slices of the listing: should the worker die before
 * the job knows of it, and the next one find the tree changed, these are the slices that it begins with.
 */
export async function writeRecalledTables(
  context: TableContext,
  search: NameSearch,
  scan: RecalledScan,
): Promise<void> {
  const rows = [...listedRows(scan.listedSkips), ...scan.countedSkips.map(skipRow)];
  const blocks = await Promise.all(
    scan.blocks.map(({ rows: block, guarded }) => (guarded ? shownBlock(block, search) : block)),
  );
  await context.table(FILES, { blocks }, LISTED_SLICE);
  await context.table(SKIPPED, await shownRows(rows, search), LISTED_SLICE);
}

function listedRows(skips: readonly Skip[]): [path: string, reason: string][] {
  return skips.map(skipRow).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Writes the rows of a count of these files as its chunks come in. */
export function createScanTables(context: TableContext, search: NameSearch, files: readonly string[]): ScanTables {
  const chunks = Math.ceil(files.length / CHUNK_FILES);
  const unwritten = new Map<number, CountedChunk[]>();
  const skips = new Map<number, readonly Skip[]>();
  const writes: Promise<void>[] = [];

  async function write(slice: number, parts: readonly CountedChunk[]): Promise<void> {
    const shown = await Promise.all(parts.map(shownPart));
    await context.table(FILES, { blocks: inOrder(shown) }, FIRST_COUNTED_SLICE + slice);
  }

  async function shownPart({ index, rows }: CountedChunk): Promise<[index: number, RowBlock[]]> {
    if (rows === undefined) return [index, []];
    const names = files.slice(index * CHUNK_FILES, (index + 1) * CHUNK_FILES);
    return [index, [names.some(search.guard.holdsSecret) ? await shownBlock(rows, search) : rows]];
  }

  return {
    note(chunk) {
      skips.set(chunk.index, chunk.skips);
      const slice = Math.floor(chunk.index / CHUNKS_A_SLICE);
      const parts = [...(unwritten.get(slice) ?? []), chunk];
      unwritten.set(slice, parts);
      if (parts.length < Math.min(CHUNKS_A_SLICE, chunks - slice * CHUNKS_A_SLICE)) return;
      unwritten.delete(slice);
      const done = write(slice, parts);
      // It is told by `written`; until then nobody else listens.
      done.catch(() => undefined);
      writes.push(done);
    },
    async written() {
      await Promise.all(writes);
      const rows = inOrder([...skips]).map(skipRow);
      await context.table(SKIPPED, await shownRows(rows, search), FIRST_COUNTED_SLICE);
    },
  };
}

function inOrder<Item>(chunks: readonly (readonly [index: number, items: readonly Item[]])[]): Item[] {
  return [...chunks].sort(([a], [b]) => a - b).flatMap(([, items]) => items);
}

function skipRow({ path, reason }: Skip): [path: string, reason: string] {
  return [path, reason];
}
