/**
 * Does the work of `analyze_codebase`: lists, then counts, many files in parts of their own for all workers to share, then
 * measures the metrics that were asked for.
 */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import { count } from '../../src/core/figures.js';
import type { JsonValue } from '../../src/core/json.js';
import type { SectionSize } from '../../src/core/table.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { countPart } from '../../src/tools/count-part.js';
import type { Measurements } from '../../src/tools/metrics.js';
import {
  CHUNK_FILES,
  type ChunkCounts,
  type CountCache,
  countFiles,
  estimateUnknown,
  type FileList,
  type ListSummary,
  mergeCounts,
  mergeSkipped,
  noCounts,
  type ThreadPool,
} from '../analysis/scan.js';
import type { Crew } from '../analysis/syntax/crew.js';
import { LIST_PERCENT, listTree } from './list-tree.js';
import { type MetricsPlan, measureMetrics } from './metrics/measure-metrics.js';
import type { OpenMetricCache } from './metrics/metric-cache.js';
import { packLarge } from './packed.js';
import { type RecalledTree, recallTree, rememberTree } from './recall-tree.js';
import { type OpenCache, openForScan, saveAfterScan } from './scan-cache.js';
import { beginScanTables, createScanTables } from './scan-tables.js';
import { withShownNames, withShownNamesIfHeld } from './shown-result.js';
import type { NameSearch } from './shown-rows.js';
import { createSkipLog, type SkipLog } from './skip-log.js';

type Analyze = Handler<typeof analyzeCodebase>;
type Output = Awaited<ReturnType<Analyze>>;
type Input = Parameters<Analyze>[0];

/** How the handler uses the machine. */
export interface AnalyzeOptions extends NameSearch {
  /** Threads of one scan; 0 to let the number of files and cores decide. */
  readonly threads: number;
  /** Files of one part of a big scan: what a crash can cost. A scan of up to two parts is not worth sharing. */
  readonly partFiles: number;
  /** Threads that stay warm from one scan to the next. */
  readonly pool: ThreadPool;
  /** Opens what is remembered of earlier scans. */
  readonly openCache: OpenCache;
  /** Threads that parse, shared by all that is measured in this process. */
  readonly crew?: Crew | undefined;
  /** Opens what is remembered of earlier measurements. */
  readonly openMetricCache?: OpenMetricCache | undefined;
}

/** Where counting ends on the way to 100 when there are metrics to measure. */
const COUNT_PERCENT = 40;
const SHOWN_EXTENSIONS = 10;

/** Builds the handler. It reads the tree as it is when it runs; files that vanish meanwhile are skipped with that reason. */
export function createAnalyzeCodebase(options: AnalyzeOptions): Analyze {
  const { pool } = options;
  return async (input, context) => {
    // The folder is judged again here: a link may have changed since the call was accepted.
    const root = await resolveAllowedFolder(input.path, context.allowedFolders);
    const skips = createSkipLog(context);
    const open = openOnce(options.openCache, root, input, context);
    pool.warm();
    const mostChanged = 2 * options.partFiles;
    // What metrics measure is the list of files, which a scan that is recalled does without.
    const plain = input.use_cache && input.metrics.length === 0;
    const recalled = plain ? await recallTree(root, input, { ...options, context, open, mostChanged }) : undefined;
    if (recalled) return resultOfRecalled(root, recalled, { ...options, context, skips });
    const { startedMs, list } = await listTree(root, input, {
      context,
      skips,
      pool,
      open,
      async keep(found, cache) {
        await beginScanTables(context, options, found.skips);
        if (plain && cache)
          await rememberTree(root, { cache, wish: { ...input, guard: options.guard } }, found).catch(() => undefined);
      },
    });
    const until = input.metrics.length === 0 ? 100 : COUNT_PERCENT;
    const { counted, fromCache } = await countTree(root, list, { input, context, skips, until, open, ...options });
    skips.summarise();
    const measurements = await measureMetrics(metricsPlan(root, list, { input, ...options }), context);
    const sections = await context.sections();
    const result = resultOf({ root, list, counted, fromCache, measurements, sections, context, startedMs });
    return withShownNames(result, options.redactor);
  };
}

/** Opens the cache when it is first asked for: a run that finds all its steps done does without. */
function openOnce(openCache: OpenCache, root: string, input: Input, context: HandlerContext) {
  let opened: Promise<CountCache | undefined> | undefined;
  return async () => {
    if (!input.use_cache) return undefined;
    opened ??= openForScan(openCache, root, context);
    return opened;
  };
}

async function resultOfRecalled(
  root: string,
  { startedMs, files, list, counted, fromCache }: RecalledTree,
  { context, skips, ...search }: Pick<Counting, 'context' | 'skips' | keyof NameSearch>,
): Promise<Output> {
  skips.noteTable(list.skipped);
  skips.noteTable(counted.skipped);
  skips.summarise();
  const total = count(files);
  context.progress({ progress: 100, total: 100, message: `Counted ${total} of ${total} files` });
  const sections = await context.sections();
  const result = resultOf({ root, list, counted, fromCache, measurements: {}, sections, context, startedMs });
  return withShownNamesIfHeld(result, search);
}

interface Planning extends AnalyzeOptions {
  readonly input: Input;
}

function metricsPlan(root: string, list: FileList, planning: Planning): MetricsPlan {
  const { input, threads, redactor, partFiles, crew, openMetricCache } = planning;
  return {
    names: input.metrics,
    work: {
      root,
      list,
      maxFileBytes: input.max_file_bytes,
      minLines: input.min_lines,
      minTokens: input.min_tokens,
      maxCommits: input.max_commits,
      threads: threads || undefined,
      crew,
    },
    complexity: { partFiles, openMetricCache: input.use_cache ? openMetricCache : undefined },
    redactor,
    from: COUNT_PERCENT,
    to: 100,
  };
}

interface Counting extends AnalyzeOptions {
  readonly input: Input;
  readonly context: HandlerContext;
  readonly skips: SkipLog;
  readonly open: () => Promise<CountCache | undefined>;
  /** The percentage at which counting ends. */
  readonly until: number;
}

interface Counted {
  readonly counted: ChunkCounts;
  /** How many files were not read, being as they were when they were counted before. */
  readonly fromCache: number;
}

async function countTree(root: string, list: FileList, counting: Counting): Promise<Counted> {
  const { context, until } = counting;
  const partFiles = await filesOfPart(root, list, counting);
  const sharing = { ...counting, partFiles };
  const counted = partFiles > 0 ? await countInParts(root, list, sharing) : await countAlone(root, list, counting);
  const total = count(list.files.length);
  context.progress({ progress: until, total: 100, message: `Counted ${total} of ${total} files` });
  return counted;
}

/**
 * How many files a part has; 0 unless many files have to be read. Decided once in the job's life: its parts fill the cache that
 * is asked here, and the worker that goes on with it may be set up otherwise.
 */
async function filesOfPart(root: string, list: FileList, counting: Counting): Promise<number> {
  const { context, open, partFiles, pool } = counting;
  const decided = await context.step('share', async (): Promise<number | boolean> => {
    if (list.files.length <= 2 * partFiles) return 0;
    const unknown = await estimateUnknown({ root, ...list }, await open(), { signal: context.signal, pool });
    return unknown > 2 * partFiles ? partFiles : 0;
  });
  // Older workers journaled whether alone.
  return decided === true ? partFiles : Number(decided);
}

async function countAlone(root: string, { files, handwritten }: FileList, counting: Counting): Promise<Counted> {
  const { input, context, skips, threads, until, open, pool } = counting;
  const total = count(files.length);
  const counts = await context.step('count', async () => {
    const cache = await open();
    const tables = createScanTables(context, counting, files);
    const counted = await countFiles(root, files, {
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
    await tables.written();
    await saveAfterScan(cache, context);
    return { counted, fromCache: cache?.recalled() ?? 0 } satisfies Counted as unknown as JsonValue;
  });
  return counts as unknown as Counted;
}

async function countInParts(root: string, { files, handwritten }: FileList, counting: Counting): Promise<Counted> {
  const { input, context, skips, partFiles, until } = counting;
  const parts = await Promise.all(partsOf(files, handwritten, wholeChunks(partFiles)));
  const results = await context.fanOut('count', {
    tool: countPart.name,
    queue: countPart.queue,
    parts: parts.map((part) => ({
      root,
      ...part,
      max_file_bytes: input.max_file_bytes,
      use_cache: input.use_cache,
    })),
    share: {
      from: LIST_PERCENT,
      to: until,
      outOf: 100,
      total: files.length,
      before: 'Counted ',
      after: ` of ${count(files.length)} files`,
    },
  });
  const counted = results.map(({ counts }) => counts as unknown as ChunkCounts);
  const sum = counted.reduce(mergeCounts, noCounts());
  skips.noteTable(sum.skipped);
  return { counted: sum, fromCache: results.reduce((known, { from_cache }) => known + Number(from_cache), 0) };
}

/** Parts end where chunks do, so that these are the same however a tree is counted, and known again. */
function wholeChunks(partFiles: number): number {
  return partFiles < CHUNK_FILES ? partFiles : partFiles - (partFiles % CHUNK_FILES);
}

/** The files in parts as the queue carries them. */
function partsOf(files: readonly string[], handwritten: readonly string[], partFiles: number) {
  const exempt = new Set(handwritten);
  const starts = Array.from({ length: Math.ceil(files.length / partFiles) }, (_, index) => index * partFiles);
  return starts.map(async (start) => {
    const part = files.slice(start, start + partFiles);
    return { files: await packLarge(part), handwritten: part.filter((path) => exempt.has(path)) };
  });
}

interface Scanned extends Counted {
  readonly root: string;
  readonly list: ListSummary;
  readonly measurements: Measurements;
  readonly sections: readonly SectionSize[];
  readonly context: HandlerContext;
  readonly startedMs: number;
}

function resultOf(scanned: Scanned): Output {
  const { root, list, counted, fromCache, measurements, sections, context, startedMs } = scanned;
  const skipped = mergeSkipped(list.skipped, counted.skipped);
  return {
    root,
    job_id: context.jobId,
    files_scanned: counted.totals.files,
    from_cache: fromCache,
    skipped: skipped.reduce((sum, row) => sum + row.files, 0),
    total_lines: counted.totals.lines,
    totals: counted.totals,
    by_language: counted.byLanguage,
    by_extension: counted.byExtension.slice(0, SHOWN_EXTENSIONS),
    largest_files: counted.largestFiles,
    skipped_files: skipped,
    // A list that an older worker made has no such number.
    ...(list.hidden > 0 && { hidden_files: list.hidden }),
    submodules: [...list.submodules],
    ...measurements,
    sections: sections.map(({ name, rows, leftOut }) => ({
      section: name,
      rows,
      ...(leftOut > 0 && { left_out: leftOut }),
    })),
    duration_ms: Date.now() - startedMs,
  };
}
