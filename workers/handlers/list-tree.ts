/** Lists a tree once in the life of a job, and tells how far that is. */
import { count } from '../../src/core/figures.js';
import type { JsonValue } from '../../src/core/json.js';
import type { HandlerContext } from '../../src/core/tool.js';
import {
  type CountCache,
  type FileClass,
  type FileList,
  type ListingProof,
  listFiles,
  type Skip,
  type ThreadPool,
} from '../analysis/scan.js';
import { packLarge, unpackLarge } from './packed.js';
import type { SkipLog } from './skip-log.js';

/** What to list. */
export interface ListWish {
  readonly respect_gitignore?: boolean | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly classes?: readonly FileClass[] | undefined;
}

/** A list, and when its job began. */
export interface Listed {
  readonly startedMs: number;
  readonly list: FileList;
}

/** What a listing came to. */
export interface Found {
  readonly list: FileList;
  readonly skips: readonly Skip[];
  /** By what the listing was decided, where all of that can be known again. */
  readonly proof: ListingProof | undefined;
}

/** Who hears of the listing. */
export interface Listening {
  readonly context: HandlerContext;
  readonly skips: SkipLog;
  /** Takes what was found, within the step of the listing: done before the list counts as made. */
  readonly keep?: (found: Found, cache: CountCache | undefined) => Promise<void>;
  /** Opens what is known of the tree, by whose rule a listing is proved. */
  readonly open?: () => Promise<CountCache | undefined>;
  /** Threads that live on between jobs. */
  readonly pool?: ThreadPool | undefined;
}

/** Progress is a percentage; listing takes the first few, since its end is not known before it is reached. */
export const LIST_PERCENT = 5;
/** Listing this many files brings the percentage halfway to `LIST_PERCENT`. */
const LIST_HALFWAY = 20_000;

/** Lists once in the job's life: however often it is run again, it measures the tree it found first. */
export async function listTree(
  root: string,
  wish: ListWish,
  { context, skips, keep, open, pool }: Listening,
): Promise<Listed> {
  let listed: Listed | undefined;
  const packed = await context.step('list', async () => {
    const startedMs = Date.now();
    const skipped: Skip[] = [];
    let proof: ListingProof | undefined;
    const cache = await open?.();
    context.progress({ progress: 0, total: 100, message: 'Listing files' });
    const list = await listFiles({
      root,
      respectGitignore: wish.respect_gitignore,
      include: wish.include,
      exclude: wish.exclude,
      classes: wish.classes,
      signal: context.signal,
      pool,
      rule: cache?.rule,
      onProof: (found) => {
        proof = found;
      },
      onSkip: (skip) => {
        skipped.push(skip);
        skips.note(skip);
      },
      onProgress: ({ done }) => {
        const progress = (LIST_PERCENT * done) / (done + LIST_HALFWAY);
        context.progress({ progress, total: 100, message: `Listing files: ${count(done)} found` });
      },
    });
    await keep?.({ list, skips: skipped, proof }, cache);
    listed = { startedMs, list };
    return packLarge(listed as unknown as JsonValue);
  });
  // A list is plain JSON: read back it would be the same, a tenth of a second later.
  return listed ?? ((await unpackLarge(packed)) as unknown as Listed);
}
