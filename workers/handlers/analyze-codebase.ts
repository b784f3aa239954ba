/** Does the work of `analyze_codebase`: lists a tree, counts it, and measures the metrics that were asked for. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import { count } from '../../src/core/figures.js';
import type { SectionSize } from '../../src/core/table.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import type { Measurements } from '../../src/tools/metrics.js';
import { type CountCache, type FileList, type ListSummary, mergeSkipped, type ThreadPool } from '../analysis/scan.js';
import type { Crew } from '../analysis/syntax/crew.js';
import { type Counted, type CountPlan, countTree, wholeChunks } from './count-tree.js';
import { listTree } from './list-tree.js';
import { type MetricsPlan, measureMetrics } from './metrics/measure-metrics.js';
import type { OpenMetricCache } from './metrics/metric-cache.js';
import { type RecalledTree, recallTree, rememberTree } from './recall-tree.js';
import { type OpenCache, openForScan } from './scan-cache.js';
import { beginScanTables } from './scan-tables.js';
import { withShownNames } from './shown-result.js';
import type { NameSearch } from './shown-rows.js';
import { createSkipLog } from './skip-log.js';

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
    let meanwhile: CountPlan['meanwhile'] = async () => undefined;
    const listed = await listTree(root, input, {
      context,
      skips,
      pool,
      open,
      pieceFiles: wholeChunks(options.partFiles),
      async keep(found, cache) {
        await beginScanTables(context, options, found.skips);
        const wish = { ...input, guard: options.guard };
        if (plain && cache) meanwhile = () => rememberTree(root, { cache, wish }, found).catch(() => undefined);
      },
    });
    const until = input.metrics.length === 0 ? 100 : COUNT_PERCENT;
    const counted = await countTree(root, listed, { input, context, skips, until, open, meanwhile, ...options });
    skips.summarise();
    const measuring = input.metrics.length > 0;
    const measurements = measuring
      ? await measureMetrics(metricsPlan(root, await listed.list(), { input, ...options }), context)
      : {};
    const sections = await context.sections();
    const { startedMs, summary: list } = listed;
    const result = resultOf({ root, list, ...counted, measurements, sections, context, startedMs });
    return withShownNames(result, options);
  };
}

/** Opens the cache when it is first asked for: a run that finds all its steps done does without. */
function openOnce(openCache: OpenCache, root: string, input: Input, context: HandlerContext) {
  let opened: Promise<CountCache | undefined> | undefined;
  return async () => {
    if (!input.use_cache) return undefined;
    opened ??= openForScan(openCache, { root }, context);
    return opened;
  };
}

async function resultOfRecalled(
  root: string,
  { startedMs, files, list, counted, fromCache }: RecalledTree,
  { context, skips, ...search }: Pick<CountPlan, 'context' | 'skips' | keyof NameSearch>,
): Promise<Output> {
  skips.noteTable(list.skipped);
  skips.noteTable(counted.skipped);
  skips.summarise();
  const total = count(files);
  context.progress({ progress: 100, total: 100, message: `Counted ${total} of ${total} files` });
  const sections = await context.sections();
  const result = resultOf({ root, list, counted, fromCache, measurements: {}, sections, context, startedMs });
  return withShownNames(result, search);
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
    // What older workers counted has no such number.
    ...((counted.hidden ?? 0) > 0 && { hidden_files: counted.hidden }),
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
