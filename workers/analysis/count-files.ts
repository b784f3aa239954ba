/** Counts listed files on worker threads, so that the caller's event loop stays free. */
import { availableParallelism } from 'node:os';
import type { CountCache } from './cache/count-cache.js';
import type { Skip } from './count-chunk.js';
import { type ChunkCounts, mergeAllCounts, noCounts } from './counts.js';
import type { RowBlock } from './pack-rows.js';
import { printablePath } from './paths.js';
import { createThreadPool, type ThreadPool, type Turn } from './thread-pool.js';

/** Files larger than this are skipped unless the caller says otherwise. */
export const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024;

/** How many files a thread takes at a time: long enough to outweigh the message, short enough for progress and balance. */
export const CHUNK_FILES = 256;
/** Below this many files a thread a further thread costs more than it saves. */
const FILES_PER_THREAD = 4000;
const MOST_THREADS = 8;
const SHARED_IDLE_MS = 5_000;

/** How to count. */
export interface CountOptions {
  /** Larger files are skipped as `too_large`. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Threads that live on between counts; without it the count starts its own, and ends them. */
  readonly pool?: ThreadPool | undefined;
  /** How many worker threads are kept busy, at least one. Default: by the number of files and processors. */
  readonly threads?: number | undefined;
  /** On abort the promise rejects with its reason and the threads are ended. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: CountProgress) => void) | undefined;
  /** Hears of each skipped file. */
  readonly onSkip?: ((skip: Skip) => void) | undefined;
  /** Hears of each chunk, in any order: its files are those after the first `CHUNK_FILES * index` of the list. */
  readonly onChunk?: ((chunk: CountedChunk) => void) | undefined;
  /** Files whose content is not to be searched for generators' marks; a part of what `listFiles` yields. */
  readonly handwritten?: readonly string[] | undefined;
  /** What is known of the files from earlier scans; what is new is noted in it. Without it each file is read. */
  readonly cache?: CountCache | undefined;
}

/** The files of one chunk, counted and skipped, each in the order of the list; their paths are printable. */
export interface CountedChunk {
  readonly index: number;
  /** One `FileRow` a counted file. */
  readonly rows: RowBlock | undefined;
  readonly skips: readonly Skip[];
}

/** How far a count is. */
export interface CountProgress {
  readonly phase: 'count';
  readonly done: number;
  readonly total: number;
}

/** Counts `files`, given as `listFiles` yields them; the result does not depend on the number of threads. */
export async function countFiles(root: string, files: readonly string[], options: CountOptions): Promise<ChunkCounts> {
  const { signal } = options;
  signal.throwIfAborted();
  if (files.length === 0) return noCounts();
  const threads = Math.max(1, options.threads || defaultThreads(files.length));
  const pool = options.pool ?? createThreadPool({ threads, signal });
  const source = createSource(root, files, options);
  try {
    // Two requests a thread: one is counted while the next is on its way.
    const drains = Array.from({ length: 2 * threads }, () => drain(source, pool));
    return mergeAllCounts((await Promise.all(drains)).flat());
  } finally {
    if (!options.pool) await pool.end();
  }
}

/**
 * Threads for many counts of one process, one after the other or side by side: a thread that has warmed up counts several
 * times as fast as a fresh one. They end when nothing was counted for a while.
 */
export function createSharedPool(threads: number): ThreadPool {
  return createThreadPool({
    threads: threads || Math.min(MOST_THREADS, availableParallelism()),
    idleMs: SHARED_IDLE_MS,
  });
}

/** The number of threads that pays for so many files on this machine. */
export function defaultThreads(files: number): number {
  return Math.min(MOST_THREADS, availableParallelism(), Math.ceil(files / FILES_PER_THREAD));
}

/** Some files of a list that are counted together. */
export interface FileChunk {
  readonly index: number;
  readonly files: readonly string[];
  /** Those of `files` that are declared not to be generated. */
  readonly handwritten: readonly string[];
}

/** A list in the chunks in which it is counted. */
export function* chunksOf(files: readonly string[], handwritten: readonly string[] = []): Generator<FileChunk> {
  const exempt = new Set(handwritten);
  for (let start = 0; start < files.length; start += CHUNK_FILES) {
    const chunk = files.slice(start, start + CHUNK_FILES);
    const index = start / CHUNK_FILES;
    yield { index, files: chunk, handwritten: exempt.size > 0 ? chunk.filter((path) => exempt.has(path)) : [] };
  }
}

/** How many counts have begun in this process. */
let begun = 0;

interface Source {
  readonly root: string;
  /**
   * Of two counts of one tree side by side, as two parts of it are, the earlier one has the threads: were they to share them,
   * both would end at the same time, and the threads wait for the next two.
   */
  readonly turn: Turn;
  readonly options: CountOptions;
  /** Shared by all who drain it. */
  readonly chunks: Generator<FileChunk>;
  finished(files: number): void;
}

function createSource(root: string, files: readonly string[], options: CountOptions): Source {
  let done = 0;
  begun += 1;
  return {
    root,
    turn: { of: root, rank: begun },
    options,
    chunks: chunksOf(files, options.handwritten),
    finished(count) {
      done += count;
      options.onProgress?.({ phase: 'count', done, total: files.length });
    },
  };
}

async function drain(source: Source, pool: ThreadPool): Promise<readonly ChunkCounts[]> {
  const { maxFileBytes = DEFAULT_MAX_FILE_BYTES, onSkip, onChunk, signal, cache } = source.options;
  const wantsRows = onChunk !== undefined;
  const wantsSkips = wantsRows || onSkip !== undefined;
  const counts: ChunkCounts[] = [];
  for (let next = source.chunks.next(); !next.done; next = source.chunks.next()) {
    const { index, files, handwritten } = next.value;
    const chunk = { root: source.root, files, handwritten };
    const known = cache?.near(chunk.files);
    const request = { kind: 'count', chunk, maxFileBytes, wantsSkips, wantsRows, known } as const;
    const response = await pool.ask(request, signal, source.turn);
    if (response.kind !== 'counted') throw new TypeError(`A count was answered with '${response.kind}'.`);
    counts.push(response.counts);
    const skips = response.skips.map(({ path, reason }) => ({ path: printablePath(path), reason }));
    cache?.note({ ...response, skips, mark: wantsRows ? response.mark : undefined });
    for (const skip of skips) onSkip?.(skip);
    onChunk?.({ index, rows: response.rows, skips });
    source.finished(chunk.files.length);
  }
  return counts;
}
