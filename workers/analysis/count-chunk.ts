/** Counts a chunk of files, one after another and synchronously; runs in a worker thread. */

import { countText } from './count-text.js';
import type { ChunkCounts, FileRow, SkipReason } from './counts.js';
import { extensionOf } from './detect.js';
import { createLexers } from './embedded.js';
import { generatedByShape } from './generated.js';
import { createFileLoader } from './load-file.js';
import { printablePath } from './paths.js';
import { type CountedFile, createTally } from './tally.js';

/** One skipped file. */
export interface Skip {
  readonly path: string;
  readonly reason: SkipReason;
}

/** What a chunk yields: its tables, and its files one by one, counted and skipped, for whoever asked to hear of them. */
export interface ChunkOutcome {
  readonly counts: ChunkCounts;
  readonly rows: readonly FileRow[];
  readonly skips: readonly Skip[];
}

/** Which files to take at their word though their content is marked as generated. */
export interface ChunkFiles {
  readonly root: string;
  /** Relative to the root, with slashes; stray bytes escaped as by `decodePath`. */
  readonly files: readonly string[];
  /** Those of `files` that .gitattributes declares not to be generated. */
  readonly handwritten: readonly string[];
}

/** Counts chunks with one buffer and one set of compiled languages. */
export interface ChunkCounter {
  count(chunk: ChunkFiles): ChunkOutcome;
}

/** Creates the counter of one thread. */
export function createChunkCounter(maxFileBytes: number): ChunkCounter {
  const loader = createFileLoader(maxFileBytes);
  const lexers = createLexers();

  function countFile(root: string, path: string, handwritten: boolean): CountedFile | Skip {
    const file = loader.load({ root, path, handwritten });
    if ('skip' in file) return { path, reason: file.skip };
    const { text, language, name, bytes } = file;
    const counts = countText(text, language, lexers);
    const size = { bytes, lines: counts.lines };
    if (!handwritten && generatedByShape(language.name, size)) return { path, reason: 'generated' };
    return { path, language: language.name, extension: extensionOf(name), bytes, counts };
  }

  function count({ root, files, handwritten }: ChunkFiles): ChunkOutcome {
    const tally = createTally();
    const rows: FileRow[] = [];
    const skips: Skip[] = [];
    const trusted = new Set(handwritten);
    for (const path of files) {
      const outcome = countFile(root, path, trusted.has(path));
      if ('counts' in outcome) {
        tally.add(outcome);
        rows.push(rowOf(outcome));
      } else {
        tally.skip(path, outcome.reason);
        skips.push(outcome);
      }
    }
    return { counts: tally.result(), rows, skips };
  }

  return { count };
}

function rowOf({ path, language, bytes, counts: { lines, code, comments, blanks } }: CountedFile): FileRow {
  return [printablePath(path), language, lines, code, comments, blanks, bytes];
}
