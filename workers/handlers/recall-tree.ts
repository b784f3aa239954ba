/** Answers for a whole scan from what is remembered of an earlier one, where the tree is as it was but for a few files. */
import { count } from '../../src/core/figures.js';
import type { JsonValue } from '../../src/core/json.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { createLanguageDeclarations } from '../analysis/declared-languages.js';
import {
  type ChunkCounts,
  type CountCache,
  chunksOf,
  keyOfChunk,
  type ListedChunk,
  type ListSummary,
  recallScan,
  type ThreadPool,
} from '../analysis/scan.js';
import { type Found, LIST_PERCENT, type ListWish } from './list-tree.js';
import { saveAfterScan } from './scan-cache.js';
import { writeRecalledTables } from './scan-tables.js';
import type { NameSearch } from './shown-rows.js';

/** What looking for changes takes of the percentage; whatever has to follow it goes on from there. */
const LOOK_PERCENT = LIST_PERCENT / 2;

/** Chunks that are named before others may run: the work that goes on meanwhile waits for a millisecond at most. */
const CHUNKS_AT_ONCE = 4;

/** What a scan depends on besides the tree. */
export interface ScanWish extends ListWish {
  readonly max_file_bytes: number;
}

type GuardedWish = ScanWish & Pick<NameSearch, 'guard'>;

/** A scan that was recalled; what its result is made of. */
export interface RecalledTree {
  readonly startedMs: number;
  readonly files: number;
  readonly list: ListSummary;
  readonly counted: ChunkCounts;
  readonly fromCache: number;
}

/** What recalling needs. */
export interface Recalling extends NameSearch {
  readonly context: HandlerContext;
  /** Opens what is known of the tree; undefined where nothing is. */
  readonly open: () => Promise<CountCache | undefined>;
  readonly pool: ThreadPool;
  /** When more files than these have to be read, the scan is done as if nothing were known of it as a whole. */
  readonly mostChanged: number;
}

/** Decides once in the life of a job whether its scan can be recalled; if so its tables are written, else it is undefined. */
export async function recallTree(
  root: string,
  wish: ScanWish,
  recalling: Recalling,
): Promise<RecalledTree | undefined> {
  const { context } = recalling;
  const recalled = await context.step(
    'recall',
    async () => (await recall(root, wish, recalling)) as unknown as JsonValue,
  );
  return recalled === null ? undefined : (recalled as unknown as RecalledTree);
}

async function recall(root: string, wish: ScanWish, recalling: Recalling): Promise<RecalledTree | null> {
  const { context, open, pool, mostChanged } = recalling;
  const startedMs = Date.now();
  const cache = await open();
  if (cache === undefined) return null;
  context.progress({ progress: 0, total: 100, message: 'Looking for changes' });
  const scan = await recallScan({
    root,
    listing: optionsName({ ...wish, guard: recalling.guard }),
    maxFileBytes: wish.max_file_bytes,
    cache,
    pool,
    signal: context.signal,
    mostChanged,
    onProgress: (done, total) => {
      const message = `Looking for changes: ${count(done)} of ${count(total)} files`;
      context.progress({ progress: (LOOK_PERCENT * done) / total, total: 100, message });
    },
  });
  if (scan === undefined) return null;
  await writeRecalledTables(context, recalling, scan);
  await saveAfterScan(cache, context);
  const { files, counts, summary, fromCache } = scan;
  return { startedMs, files, list: summary, counted: counts, fromCache };
}

/** Remembers a listing that can be proved, in the chunks in which it is going to be counted. */
export async function rememberTree(
  root: string,
  { cache, wish }: { readonly cache: CountCache; readonly wish: GuardedWish },
  { list, skips, proof }: Found,
): Promise<void> {
  if (proof === undefined) return;
  const languages = createLanguageDeclarations(root);
  const chunks: ListedChunk[] = [];
  const guarded: number[] = [];
  for (const { index, files, handwritten } of chunksOf(list.files, list.handwritten)) {
    if (index % CHUNKS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    chunks.push({ key: keyOfChunk({ files, handwritten, languages }, wish.max_file_bytes), files, handwritten });
    if (files.some(wish.guard.holdsSecret)) guarded.push(index);
  }
  const { files: _, handwritten: __, ...summary } = list;
  await cache.rememberListing(optionsName(wish), {
    ...{ proof, chunks, summary, skips, guarded },
  });
}

function optionsName({ guard, ...wish }: GuardedWish): string {
  const { respect_gitignore = true, include = null, exclude = [], classes = null, max_file_bytes } = wish;
  return JSON.stringify([respect_gitignore, include, exclude, classes, max_file_bytes, guard.rules]);
}
