/** Scans an unchanged tree without listing or counting it: proves that both would come to the same, and counts what was changed. */
import { type ChunkCounts, mergeAllCounts, type Skip } from '../counts.js';
import { findGitExcludes, NO_WORK_TREE } from '../git-excludes.js';
import { digestOfGitList } from '../git-list.js';
import type { ListSummary } from '../listing.js';
import type { RowBlock } from '../pack-rows.js';
import { printablePath } from '../paths.js';
import type { ThreadPool } from '../thread-pool.js';
import type { ChunkRecord } from './chunk-record.js';
import type { CountCache } from './count-cache.js';
import { type ListRecord, pathsIn } from './list-record.js';

/** What to recall. */
export interface RecallOptions {
  readonly root: string;
  /** Names what the listing depends on besides the tree. */
  readonly listing: string;
  readonly maxFileBytes: number;
  readonly cache: CountCache;
  readonly pool: ThreadPool;
  readonly signal: AbortSignal;
  /** When more files than these are in chunks that were changed, nothing is recalled. */
  readonly mostChanged: number;
  /** Hears of how many files it is known whether they were changed. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What a scan of the tree comes to. */
export interface RecalledScan {
  readonly files: number;
  readonly counts: ChunkCounts;
  /** Of the listing alone. */
  readonly summary: ListSummary;
  /** Files that were not read. */
  readonly fromCache: number;
  /** One `FileRow` a counted file, in the order of the list; whether names in them are to be looked at. */
  readonly blocks: readonly { readonly rows: RowBlock; readonly guarded: boolean }[];
  /** What listing skipped. */
  readonly listedSkips: readonly Skip[];
  /** What counting skipped, in the order of the list. */
  readonly countedSkips: readonly Skip[];
}

/** Chunks that a thread looks at between two words of progress. */
const CHUNKS_AT_ONCE = 16;
const LANES = 4;

/**
 * What a scan comes to now; undefined where the listing may have changed, or too many files have. Git lists while threads
 * look at the files that were there last time, so that on two processors neither waits for the other.
 */
export async function recallScan(options: RecallOptions): Promise<RecalledScan | undefined> {
  const { cache, root, signal, pool } = options;
  const listing = await cache.listing(options.listing);
  if (listing === undefined) return undefined;
  const isForgotten = (index: number) => !cache.knowsChunk(listing.chunks[index]?.key ?? '');
  if (unsureFiles(listing, isForgotten) > options.mostChanged) return undefined;
  const looking = Promise.all([
    wordsOfGit(root, signal),
    lookAgain([listing.looked], { root, signal, pool }),
    lookAtChunks(listing, options),
  ]);
  const [[git, [looked], digests], records] = await Promise.all([looking, readRecords(listing, cache)]);
  signal.throwIfAborted();
  if (git !== listing.git || looked !== listing.identities) return undefined;
  const isSame = (index: number) => records[index] !== undefined && records[index]?.identities === digests[index];
  if (unsureFiles(listing, (index) => !isSame(index)) > options.mostChanged) return undefined;
  const known = records.map((record, index) => (isSame(index) ? record : undefined));
  return join(listing, await countOthers(listing, known, options));
}

/** Undefined where git says nothing though there is a work tree. */
async function wordsOfGit(root: string, signal: AbortSignal): Promise<string | undefined> {
  return (await digestOfGitList({ root, signal })) ?? (findGitExcludes(root).inWorkTree ? undefined : NO_WORK_TREE);
}

/** Some at a time: git and the threads are heard in between. */
async function readRecords({ chunks }: ListRecord, cache: CountCache): Promise<readonly (ChunkRecord | undefined)[]> {
  const records: (ChunkRecord | undefined)[] = [];
  for (const { key } of chunks) {
    if (records.length % CHUNKS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    records.push(cache.chunk(key));
  }
  return records;
}

type Looking = Pick<RecallOptions, 'root' | 'signal' | 'pool'>;

async function lookAgain(
  groups: readonly ListRecord['looked'][],
  { root, signal, pool }: Looking,
): Promise<readonly string[]> {
  const response = await pool.ask({ kind: 'again', root, groups }, signal);
  if (response.kind !== 'again') throw new TypeError(`A second look was answered with '${response.kind}'.`);
  return response.digests;
}

async function lookAtChunks({ chunks }: ListRecord, options: RecallOptions): Promise<readonly string[]> {
  const total = chunks.reduce((sum, { count }) => sum + count, 0);
  let done = 0;
  const starts = Array.from(
    { length: Math.ceil(chunks.length / CHUNKS_AT_ONCE) },
    (_, index) => index * CHUNKS_AT_ONCE,
  );
  const digests = await inLanes(starts, async (start) => {
    const some = chunks.slice(start, start + CHUNKS_AT_ONCE);
    const groups = some.map(({ paths }) => paths);
    const seen = await lookAgain(groups, options);
    done += some.reduce((sum, { count }) => sum + count, 0);
    options.onProgress?.(done, total);
    return seen;
  });
  return digests.flat();
}

/** What a task makes of each item, some at a time: enough to keep the threads busy. */
async function inLanes<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const lane = async () => {
    for (const [index, item] of entries) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

function unsureFiles({ chunks }: ListRecord, isUnsure: (index: number) => boolean): number {
  return chunks.reduce((sum, { count }, index) => sum + (isUnsure(index) ? count : 0), 0);
}

type Chunk = Pick<ChunkRecord, 'counts' | 'skips' | 'rows'> & { readonly recalled: number };

async function countOthers(
  listing: ListRecord,
  known: readonly (ChunkRecord | undefined)[],
  options: RecallOptions,
): Promise<readonly Chunk[]> {
  return inLanes(listing.chunks, async (chunk, index): Promise<Chunk> => {
    const record = known[index];
    if (record === undefined) return countChunk(chunk, options);
    options.cache.note({ ...record, mark: undefined, fresh: undefined, recalled: chunk.count });
    return { ...record, recalled: chunk.count };
  });
}

async function countChunk(
  { paths, handwritten }: ListRecord['chunks'][number],
  options: RecallOptions,
): Promise<Chunk> {
  const { root, maxFileBytes, cache, pool, signal } = options;
  const files = pathsIn(paths);
  const chunk = { root, files, handwritten };
  const known = cache.near(files);
  const wanted = { wantsRows: true, wantsSkips: true };
  const response = await pool.ask({ kind: 'count', chunk, maxFileBytes, known, ...wanted }, signal);
  if (response.kind !== 'counted') throw new TypeError(`A count was answered with '${response.kind}'.`);
  const skips = response.skips.map(({ path, reason }) => ({ path: printablePath(path), reason }));
  cache.note({ ...response, skips });
  return { ...response, skips };
}

function join(listing: ListRecord, chunks: readonly Chunk[]): RecalledScan {
  const guarded = new Set(listing.guarded);
  return {
    files: listing.chunks.reduce((sum, { count }) => sum + count, 0),
    counts: mergeAllCounts(chunks.map(({ counts }) => counts)),
    summary: listing.summary,
    fromCache: chunks.reduce((sum, { recalled }) => sum + recalled, 0),
    blocks: chunks.flatMap(({ rows }, index) => (rows ? [{ rows, guarded: guarded.has(index) }] : [])),
    listedSkips: listing.skips,
    countedSkips: chunks.flatMap(({ skips }) => skips),
  };
}
