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
import { unpackLarge } from './packed.js';
import { type PackedList, packList, unpackList } from './packed-list.js';
import type { SkipLog } from './skip-log.js';

/** What to list. */
export interface ListWish {
  readonly respect_gitignore?: boolean | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly classes?: readonly FileClass[] | undefined;
}

/** A list, and when its job began. */
export interface Listed extends PackedList {
  readonly startedMs: number;
  /** How many files there are. */
  readonly total: number;
  /** The files themselves; a run that goes on with parts does without. */
  list(): Promise<FileList>;
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
  /** Files of one piece of the list. Default: those of a list that is in one piece. */
  readonly pieceFiles?: number | undefined;
}

/** Progress is a percentage; listing takes the first few, since its end is not known before it is reached. */
export const LIST_PERCENT = 5;
/** Listing this many files brings the percentage halfway to `LIST_PERCENT`. */
const LIST_HALFWAY = 20_000;
/** No list is longer. */
const ONE_PIECE = Number.MAX_SAFE_INTEGER;

interface Journaled extends PackedList {
  readonly startedMs: number;
}

/** Lists once in the job's life: however often it is run again, it measures the tree it found first. */
export async function listTree(
  root: string,
  wish: ListWish,
  { context, skips, keep, open, pool, pieceFiles = ONE_PIECE }: Listening,
): Promise<Listed> {
  let found: FileList | undefined;
  const journaled = await context.step('list', async () => {
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
    found = list;
    const packed: Journaled = { startedMs, ...(await packList(list, pieceFiles)) };
    return packed as unknown as JsonValue;
  });
  const packed =
    typeof journaled === 'string' ? await earlier(journaled, pieceFiles) : (journaled as unknown as Journaled);
  return {
    ...packed,
    total: packed.pieces.reduce((sum, { count: files }) => sum + files, 0),
    // A list is plain JSON: read back it would be the same, a tenth of a second later.
    list: async () => found ?? unpackList(packed),
  };
}

/** An earlier version journaled the list as a whole. */
async function earlier(journaled: string, pieceFiles: number): Promise<Journaled> {
  const { startedMs, list } = (await unpackLarge(journaled)) as unknown as { startedMs: number; list: FileList };
  return { startedMs, ...(await packList(list, pieceFiles)) };
}
