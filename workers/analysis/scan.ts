/** Measures a tree of source files: lists it, counts it on worker threads and sums up. The entry of this folder. */
import { type CountProgress, countFiles } from './count-files.js';
import {
  type Counts,
  type ExtensionCounts,
  type FileSize,
  type LanguageCounts,
  mergeSkipped,
  type SkippedFiles,
} from './counts.js';
import { type ListOptions, type ListProgress, listFiles } from './list-files.js';

export { keyOfChunk } from './cache/chunk-record.js';
export { type CountCache, type CountCacheOptions, openCountCache } from './cache/count-cache.js';
export { estimateUnknown } from './cache/estimate.js';
export type { ListedChunk, ListingProof } from './cache/list-record.js';
export { type RecalledScan, recallScan } from './cache/recall-scan.js';
export type { Skip } from './count-chunk.js';
export {
  CHUNK_FILES,
  type CountedChunk,
  type CountOptions,
  type CountProgress,
  chunksOf,
  countFiles,
  createSharedPool,
  DEFAULT_MAX_FILE_BYTES,
} from './count-files.js';
export {
  type ChunkCounts,
  type Counts,
  type ExtensionCounts,
  FILE_COLUMNS,
  type FileRow,
  type FileSize,
  type LanguageCounts,
  mergeAllCounts,
  mergeCounts,
  mergeSkipped,
  noCounts,
  type SkippedFiles,
  type SkipReason,
} from './counts.js';
export { type FileClass, type FileList, type ListOptions, type ListProgress, listFiles } from './list-files.js';
export type { ListSummary } from './listing.js';
export { packRows, type RowBlock } from './pack-rows.js';
export type { ThreadPool } from './thread-pool.js';

/** What to scan and how. */
export interface ScanOptions extends Omit<ListOptions, 'onProgress'> {
  /** Larger files are skipped as `too_large`. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** How many worker threads count; at least one. Default: by the number of files and processors. */
  readonly threads?: number | undefined;
  /** Called often, with ever larger numbers within a phase; `total` is known once listing is over. */
  readonly onProgress?: ((progress: ListProgress | CountProgress) => void) | undefined;
}

/** What a scan found. */
export interface ScanResult {
  readonly root: string;
  readonly filesScanned: number;
  readonly totals: Counts;
  /** By lines of code, most first, then by name. */
  readonly byLanguage: readonly LanguageCounts[];
  /** By number of files, most first, then by name. */
  readonly byExtension: readonly ExtensionCounts[];
  /** The twenty largest by bytes. */
  readonly largestFiles: readonly FileSize[];
  readonly skipped: readonly SkippedFiles[];
  readonly skippedTotal: number;
  /** How many of the counted files are hidden. */
  readonly hidden: number;
  /** Repositories within the tree, which are not entered. */
  readonly submodules: readonly string[];
}

/**
 * Scans a tree. Every file that git would list is either counted or skipped with a reason; no single file can fail the
 * scan. Rejects with the signal's reason on abort, with its threads and children ended.
 */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  const { root } = options;
  const { files, handwritten, skipped: unlisted, submodules } = await listFiles(options);
  const { skipped: uncounted, hidden = 0, ...tables } = await countFiles(root, files, { ...options, handwritten });
  const skipped = mergeSkipped(unlisted, uncounted);
  return {
    root,
    filesScanned: tables.totals.files,
    ...tables,
    skipped,
    hidden,
    skippedTotal: skipped.reduce((sum, row) => sum + row.files, 0),
    submodules: [...submodules],
  };
}
