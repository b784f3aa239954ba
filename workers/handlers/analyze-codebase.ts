/** Does the work of `analyze_codebase`: lists, then counts in journaled parts, so that a re-run goes on where it was. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import { count } from '../../src/core/figures.js';
import { fingerprint } from '../../src/core/ids.js';
import type { JsonValue } from '../../src/core/json.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import {
  type ChunkCounts,
  countFiles,
  type FileList,
  listFiles,
  mergeCounts,
  mergeSkipped,
  noCounts,
} from '../analysis/scan.js';
import { createSkipLog, type SkipLog } from './skip-log.js';

type Analyze = Handler<typeof analyzeCodebase>;
type Output = Awaited<ReturnType<Analyze>>;
type Input = Parameters<Analyze>[0];

/** How the handler uses the machine. */
export interface AnalyzeOptions {
  /** Threads of one scan; 0 to let the number of files and cores decide. */
  readonly threads: number;
}

/** Files counted between two journal entries: what a crash can cost. */
const PART_FILES = 16_000;
/** Progress is a percentage; listing takes the first few, since its end is not known before it is reached. */
const LIST_PERCENT = 5;
/** Listing this many files brings the percentage halfway to `LIST_PERCENT`. */
const LIST_HALFWAY = 20_000;
const SHOWN_EXTENSIONS = 10;

/** Builds the handler. It reads the tree as it is when it runs; files that vanish meanwhile are skipped with that reason. */
export function createAnalyzeCodebase(options: AnalyzeOptions): Analyze {
  return async (input, context) => {
    const startedMs = Date.now();
    // The folder is judged again here: a link may have changed since the call was accepted.
    const root = await resolveAllowedFolder(input.path, context.allowedFolders);
    const skips = createSkipLog(context);
    const list = await listTree(root, input, { context, skips });
    const counted = await countTree(root, list, { input, context, skips, threads: options.threads });
    skips.summarise();
    return resultOf({ root, list, counted, context, startedMs });
  };
}

async function listTree(
  root: string,
  input: Input,
  { context, skips }: { context: HandlerContext; skips: SkipLog },
): Promise<FileList> {
  context.progress({ progress: 0, total: 100, message: 'Listing files' });
  return listFiles({
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
}

interface Counting {
  readonly input: Input;
  readonly context: HandlerContext;
  readonly skips: SkipLog;
  readonly threads: number;
}

async function countTree(root: string, { files, handwritten }: FileList, counting: Counting): Promise<ChunkCounts> {
  const { input, context, skips, threads } = counting;
  const report = (done: number) => {
    const share = files.length === 0 ? 1 : done / files.length;
    const progress = LIST_PERCENT + (100 - LIST_PERCENT) * share;
    context.progress({ progress, total: 100, message: `Counted ${count(done)} of ${count(files.length)} files` });
  };
  let sum = noCounts();
  for (let start = 0; start < files.length; start += PART_FILES) {
    const part = files.slice(start, start + PART_FILES);
    // The name binds the entry to these very files: after a change in the tree, the part is counted anew.
    const counts = await context.step(`count ${start} ${fingerprint(part.join('\0'))}`, async () => {
      const counted = await countFiles(root, part, {
        maxFileBytes: input.max_file_bytes,
        threads,
        handwritten,
        signal: context.signal,
        onSkip: skips.note,
        onProgress: ({ done }) => report(start + done),
      });
      return counted as unknown as JsonValue;
    });
    sum = mergeCounts(sum, counts as unknown as ChunkCounts);
  }
  report(files.length);
  return sum;
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
