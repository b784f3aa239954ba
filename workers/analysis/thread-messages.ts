/** What passes between the calling thread and its worker threads. */
import type { ChunkFiles, Skip } from './count-chunk.js';
import type { ChunkCounts, FileRow } from './counts.js';
import type { CloneAnswer, CloneWork } from './duplication/thread-work.js';
import type { Listing } from './listing.js';
import type { WalkOptions } from './walk.js';

/** A request; answered by exactly one response. */
export type ThreadRequest =
  | {
      readonly kind: 'count';
      readonly chunk: ChunkFiles;
      readonly maxFileBytes: number;
      readonly wantsSkips: boolean;
      readonly wantsRows: boolean;
    }
  | ({ readonly kind: 'walk' } & WalkOptions)
  | { readonly kind: 'look'; readonly root: string; readonly folders: readonly string[] }
  | { readonly kind: 'clones'; readonly work: CloneWork };

/** A response. */
export type ThreadResponse =
  | {
      readonly kind: 'counted';
      readonly counts: ChunkCounts;
      readonly rows: readonly FileRow[];
      readonly skips: readonly Skip[];
    }
  | { readonly kind: 'walked'; readonly listing: Listing }
  | { readonly kind: 'looked'; readonly skips: readonly Skip[] }
  | { readonly kind: 'clones'; readonly answer: CloneAnswer };
