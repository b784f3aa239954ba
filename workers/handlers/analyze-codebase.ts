/** Does the work of `analyze_codebase`: lists, then counts; many files in parts of their own for all workers to share. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import { count } from '../../src/core/figures.js';
import type { JsonValue } from '../../src/core/json.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { countPart } from '../../src/tools/count-part.js';
import {
  type ChunkCounts,
  countFiles,
  type FileList,
  listFiles,
  mergeCounts,
  mergeSkipped,
  noCounts,
} from '../analysis/scan.js';
import { pack, unpack } from './packed.js';
import { createSkipLog, type SkipLog } from './skip-log.js';

type Analyze = Handler<typeof analyzeCodebase>;
type Output = Awaited<ReturnType<Analyze>>;
type Input = Parameters<Analyze>[0];

/** How the handler uses the machine. */
export interface AnalyzeOptions {
  /** Threads of one scan; 0 to let the number of files and cores decide. */
  readonly threads: number;
  /** Files of one part of a big scan: what a crash can cost. A scan of up to two parts is not worth sharing. */
  readonly partFiles: number;
}

/** Progress is a percentage; listing takes the first few, since its end is not known before it is reached. */
const LIST_PERCENT = 5;
/** Listing this many files brings the percentage halfway to `LIST_PERCENT`. */
const LIST_HALFWAY = 20_000;
const SHOWN_EXTENSIONS = 10;

/** Builds the handler. It reads the tree as it is when it runs; files that vanish meanwhile are skipped with that reason. */
export function createAnalyzeCodebase(options: AnalyzeOptions): Analyze {
  return async (input, context) => {
    // The folder is judged again here: a link may have changed since the call was accepted.
    const root = await resolveAllowedFolder(input.path, context.allowedFolders);
    const skips = createSkipLog(context);
    const { startedMs, list } = await listTree(root, input, { context, skips });
    const counted = await countTree(root, list, { input, context, skips, ...options });
    skips.summarise();
    return resultOf({ root, list, counted, context, startedMs });
  };
}

interface Listed {
  readonly startedMs: number;
  readonly list: FileList;
}

/** Lists once in the job's life: however often it is run again, it counts the tree it found first. */
async function listTree(
  root: string,
  input: Input,
  { context, skips }: { context: HandlerContext; skips: SkipLog },
): Promise<Listed> {
  const packed = await context.step('list', async () => {
    const startedMs = Date.now();
    context.progress({ progress: 0, total: 100, message: 'Listing files' });
    const list = await listFiles({
      root,
      respectGitignore: input.respect_gitignore,
      include: input.include,
      exclude: input.exclude,
      signal: context.signal,
      onSkip: skips.note,
      onProgress: ({ done }) => {
        const progress = (LIST_PERCENT * done) / (done + LIST_HALFWAY);
        context.progress({ progress, total: 100, message: `Listing files: ${count(done)} found` });
      },
    });
    return pack({ startedMs, list } as unknown as JsonValue);
  });
  return unpack(packed) as unknown as Listed;
}

interface Counting extends AnalyzeOptions {
  readonly input: Input;
  readonly context: HandlerContext;
  readonly skips: SkipLog;
}

async function countTree(root: string, list: FileList, counting: Counting): Promise<ChunkCounts> {
  const counts = await (list.files.length > 2 * counting.partFiles ? countInParts : countAlone)(root, list, counting);
  const total = count(list.files.length);
  counting.context.progress({ progress: 100, total: 100, message: `Counted ${total} of ${total} files` });
  return counts;
}

async function countAlone(root: string, { files, handwritten }: FileList, counting: Counting): Promise<ChunkCounts> {
  const { input, context, skips, threads } = counting;
  const total = count(files.length);
  const counts = await context.step('count', async () => {
    const counted = await countFiles(root, files, {
      maxFileBytes: input.max_file_bytes,
      threads,
      handwritten,
      signal: context.signal,
      onSkip: skips.note,
      onProgress: ({ done }) => {
        const progress = LIST_PERCENT + ((100 - LIST_PERCENT) * done) / files.length;
        context.progress({ progress, total: 100, message: `Counted ${count(done)} of ${total} files` });
      },
    });
    return counted as unknown as JsonValue;
  });
  return counts as unknown as ChunkCounts;
}

async function countInParts(root: string, { files, handwritten }: FileList, counting: Counting): Promise<ChunkCounts> {
  const { input, context, skips, partFiles } = counting;
  const results = await context.fanOut('count', {
    tool: countPart.name,
    queue: countPart.queue,
    parts: partsOf(files, handwritten, partFiles).map((part) => ({
      root,
      ...part,
      max_file_bytes: input.max_file_bytes,
    })),
    share: {
      from: LIST_PERCENT,
      to: 100,
      outOf: 100,
      total: files.length,
      before: 'Counted ',
      after: ` of ${count(files.length)} files`,
    },
  });
  const counted = results.map(({ counts }) => counts as unknown as ChunkCounts);
  const sum = counted.reduce(mergeCounts, noCounts());
  skips.noteTable(sum.skipped);
  return sum;
}

/** The files in parts as the queue carries them. */
function partsOf(files: readonly string[], handwritten: readonly string[], partFiles: number) {
  const exempt = new Set(handwritten);
  const starts = Array.from({ length: Math.ceil(files.length / partFiles) }, (_, index) => index * partFiles);
  return starts.map((start) => {
    const part = files.slice(start, start + partFiles);
    return { files: pack(part), handwritten: part.filter((path) => exempt.has(path)) };
  });
}

interface Scanned {
  readonly root: string;
  readonly list: FileList;
  readonly counted: ChunkCounts;
  readonly context: HandlerContext;
  readonly startedMs: number;
}

function resultOf({ root, list, counted, context, startedMs }: Scanned): Output {
  const skipped = mergeSkipped(list.skipped, counted.skipped);
  return {
    root,
    job_id: context.jobId,
    files_scanned: counted.totals.files,
    skipped: skipped.reduce((sum, row) => sum + row.files, 0),
    total_lines: counted.totals.lines,
    totals: counted.totals,
    by_language: counted.byLanguage,
    by_extension: counted.byExtension.slice(0, SHOWN_EXTENSIONS),
    largest_files: counted.largestFiles,
    skipped_files: skipped,
    submodules: [...list.submodules],
    duration_ms: Date.now() - startedMs,
  };
}
