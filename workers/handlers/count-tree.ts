/** Counts a listed tree: many files in parts of their own for all workers to share, few of them right here. */
import { AbortReason } from '../../src/core/abort.js';
import { count } from '../../src/core/figures.js';
import type { JsonValue } from '../../src/core/json.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { countPart } from '../../src/tools/count-part.js';
import {
  CHUNK_FILES,
  type ChunkCounts,
  type CountCache,
  countFiles,
  estimateUnknown,
  mergeAllCounts,
  type ThreadPool,
} from '../analysis/scan.js';
import { LIST_PERCENT, type Listed } from './list-tree.js';
import { saveAfterScan } from './scan-cache.js';
import { createScanTables } from './scan-tables.js';
import type { NameSearch } from './shown-rows.js';
import type { SkipLog } from './skip-log.js';

/** How to count. */
export interface CountPlan extends NameSearch {
  readonly input: { readonly max_file_bytes: number; readonly use_cache: boolean };
  readonly context: HandlerContext;
  readonly skips: SkipLog;
  /** Threads of one scan; 0 to let the number of files and cores decide. */
  readonly threads: number;
  readonly pool: ThreadPool;
  /** Files of one part; a scan of up to two is not worth sharing. */
  readonly partFiles: number;
  /** Opens what is known of the tree; undefined where nothing is, or nothing is asked for. */
  readonly open: () => Promise<CountCache | undefined>;
  /** The percentage at which counting ends. */
  readonly until: number;
  /** What is to be done while threads and other workers count, as soon as it holds up nobody. */
  readonly meanwhile: () => Promise<void>;
}

/** What a tree came to. */
export interface Counted {
  readonly counted: ChunkCounts;
  /** How many files were not read, being as they were when they were counted before. */
  readonly fromCache: number;
}

/** Files of a piece of the list, and hence of a part: parts end where chunks do, so that these are known again however a tree is counted. */
export function wholeChunks(partFiles: number): number {
  return partFiles < CHUNK_FILES ? partFiles : partFiles - (partFiles % CHUNK_FILES);
}

/** Counts; rejects on abort, and when a part could not be counted. */
export async function countTree(root: string, listed: Listed, plan: CountPlan): Promise<Counted> {
  const { context, until } = plan;
  const sharing = await howShared(root, listed, plan);
  const counting = sharing.shared ? countInParts : countAlone;
  const counted = await counting(root, listed, { ...plan, ...sharing });
  const total = count(listed.total);
  context.progress({ progress: until, total: 100, message: `Counted ${total} of ${total} files` });
  return counted;
}

/** How a tree is counted. */
interface Sharing {
  readonly shared: boolean;
  /** Whether anything was known of it. */
  readonly recall: boolean;
}

/**
 * Whether many files have to be read. Decided once in the job's life: its parts fill the cache that is asked here, and the
 * worker that goes on with it may be set up otherwise.
 */
async function howShared(root: string, listed: Listed, plan: CountPlan): Promise<Sharing> {
  const { context, open, partFiles, pool } = plan;
  const decided = await context.step('share', async (): Promise<JsonValue> => {
    if (listed.total <= 2 * partFiles) return { shared: false, recall: true };
    const { files, handwritten } = await listed.list();
    const cache = await open();
    const unknown = await estimateUnknown({ root, files, handwritten }, cache, { signal: context.signal, pool });
    return { shared: unknown > 2 * partFiles, recall: cache !== undefined && !cache.isEmpty };
  });
  // Earlier versions journaled how many files a part has, 0 for none.
  return typeof decided === 'object' ? (decided as unknown as Sharing) : { shared: Boolean(decided), recall: true };
}

async function countAlone(root: string, listed: Listed, plan: CountPlan): Promise<Counted> {
  const { input, context, skips, threads, until, open, pool, meanwhile } = plan;
  const total = count(listed.total);
  const counts = await context.step('count', async () => {
    const { files, handwritten } = await listed.list();
    const cache = await open();
    const tables = createScanTables(context, plan, files);
    const counting = countFiles(root, files, {
      maxFileBytes: input.max_file_bytes,
      threads,
      pool,
      handwritten,
      cache,
      signal: context.signal,
      onSkip: skips.note,
      onChunk: tables.note,
      onProgress: ({ done }) => {
        const progress = LIST_PERCENT + ((until - LIST_PERCENT) * done) / files.length;
        context.progress({ progress, total: 100, message: `Counted ${count(done)} of ${total} files` });
      },
    });
    const [counted] = await Promise.all([counting, meanwhile()]);
    await tables.written();
    await saveAfterScan(cache, context);
    return { counted, fromCache: cache?.recalled() ?? 0 } satisfies Counted as unknown as JsonValue;
  });
  return counts as unknown as Counted;
}

/** A piece of the list is a part, as it was journaled; the run ends when all are on their way. */
async function countInParts(root: string, { pieces, total }: Listed, plan: CountPlan & Sharing): Promise<Counted> {
  const { input, context, skips, until, recall, meanwhile } = plan;
  const { max_file_bytes, use_cache } = input;
  context.signal.addEventListener('abort', () => isParked(context.signal) && void meanwhile(), { once: true });
  const results = await context.fanOut('count', {
    tool: countPart.name,
    queue: countPart.queue,
    parts: pieces.map(({ files, handwritten }) => ({
      root,
      files,
      handwritten: [...handwritten],
      max_file_bytes,
      use_cache,
      ...(!recall && { recall }),
    })),
    share: {
      from: LIST_PERCENT,
      to: until,
      outOf: 100,
      total,
      before: 'Counted ',
      after: ` of ${count(total)} files`,
    },
  });
  const counted = results.map(({ counts }) => counts as unknown as ChunkCounts);
  const sum = mergeAllCounts(counted);
  skips.noteTable(sum.skipped);
  return { counted: sum, fromCache: results.reduce((known, { from_cache }) => known + Number(from_cache), 0) };
}

function isParked({ reason }: AbortSignal): boolean {
  return reason instanceof AbortReason && reason.kind === 'parked';
}
