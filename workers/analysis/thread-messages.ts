/** What passes between the calling thread and its worker threads. */
import type { EncodedBlock } from './cache/block.js';
import type { KnownBlocks } from './cache/chunk-memory.js';
import type { ChunkMark } from './cache/chunk-record.js';
import type { SharedPaths } from './cache/list-record.js';
import type { Settling } from './cache/look-again.js';
import type { MergeWork } from './cache/merge-segments.js';
import type { SurveyRun } from './cache/survey.js';
import type { ChunkFiles, Skip } from './count-chunk.js';
import type { ChunkCounts } from './counts.js';
import type { CloneAnswer, CloneWork } from './duplication/thread-work.js';
import type { RowBlock } from './pack-rows.js';
import type { Walked, WalkOptions } from './walk.js';

/** A request; answered by exactly one response. */
export type ThreadRequest =
  | {
      readonly kind: 'count';
      readonly chunk: ChunkFiles;
      readonly maxFileBytes: number;
      readonly wantsSkips: boolean;
      readonly wantsRows: boolean;
      /** What is remembered of the files; without it each is read. */
      readonly known: KnownBlocks | undefined;
    }
  | ({ readonly kind: 'walk' } & WalkOptions)
  | {
      readonly kind: 'look';
      readonly root: string;
      readonly folders: readonly string[];
      /** Whether to say by what these folders, and files after them, can be known again. */
      readonly prove?: { readonly files: readonly string[]; readonly settling: Settling } | undefined;
    }
  | { readonly kind: 'again'; readonly root: string; readonly groups: readonly SharedPaths[] }
  | { readonly kind: 'clones'; readonly work: CloneWork }
  | { readonly kind: 'survey'; readonly runs: readonly SurveyRun[] }
  | { readonly kind: 'merge'; readonly work: MergeWork };

/** A response. */
export type ThreadResponse =
  | {
      readonly kind: 'counted';
      readonly counts: ChunkCounts;
      readonly rows: RowBlock | undefined;
      readonly skips: readonly Skip[];
      readonly recalled: number;
      readonly fresh: EncodedBlock | undefined;
      readonly mark: ChunkMark | undefined;
    }
  | ({ readonly kind: 'walked' } & Walked)
  | { readonly kind: 'looked'; readonly skips: readonly Skip[]; readonly identities: Float64Array | undefined }
  | { readonly kind: 'again'; readonly digests: readonly string[] }
  | { readonly kind: 'clones'; readonly answer: CloneAnswer }
  | { readonly kind: 'surveyed'; readonly known: number }
  | { readonly kind: 'merged'; readonly blocks: readonly EncodedBlock[] };
