/** Counts a chunk of files, one after another and synchronously; runs in a worker thread. */

import { countText } from './count-text.js';
import type { ChunkCounts, SkipReason } from './counts.js';
import { decodeText } from './decode.js';
import { detectLanguage, extensionOf } from './detect.js';
import { createLexers } from './embedded.js';
import { generatedByContent, generatedByShape } from './generated.js';
import { baseName, encodePath } from './paths.js';
import { createFileReader } from './read-file.js';
import { type CountedFile, createTally } from './tally.js';

/** One skipped file. */
export interface Skip {
  readonly path: string;
  readonly reason: SkipReason;
}

/** What a chunk yields: its tables, and its skipped files one by one for whoever asked to hear of them. */
export interface ChunkOutcome {
  readonly counts: ChunkCounts;
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
  const reader = createFileReader(maxFileBytes);
  const lexers = createLexers();

  function countFile(root: string, path: string, handwritten: boolean): CountedFile | Skip {
    const read = reader.read(encodePath(`${root}/${path}`));
    if ('skip' in read) return { path, reason: read.skip };
    const text = decodeText(read.buffer, read.length);
    if (text === undefined) return { path, reason: 'binary' };
    if (!handwritten && generatedByContent(text)) return { path, reason: 'generated' };
    const name = baseName(path);
    const language = detectLanguage(name, text.bytes.subarray(text.start, text.end));
    const counts = countText(text, language, lexers);
    const size = { bytes: read.length, lines: counts.lines };
    if (!handwritten && generatedByShape(language.name, size)) return { path, reason: 'generated' };
    return { path, language: language.name, extension: extensionOf(name), bytes: read.length, counts };
  }

  function count({ root, files, handwritten }: ChunkFiles): ChunkOutcome {
    const tally = createTally();
    const skips: Skip[] = [];
    const trusted = new Set(handwritten);
    for (const path of files) {
      const outcome = countFile(root, path, trusted.has(path));
      if ('counts' in outcome) tally.add(outcome);
      else {
        tally.skip(path, outcome.reason);
        skips.push(outcome);
      }
    }
    return { counts: tally.result(), skips };
  }

  return { count };
}
