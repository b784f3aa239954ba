/** Counts a chunk of files, one after another and synchronously; runs in a worker thread. */

import type { Stats } from 'node:fs';
import type { EncodedBlock, Remembered } from './cache/block.js';
import { type ChunkMemory, createChunkMemory, type KnownBlocks, lookAt } from './cache/chunk-memory.js';
import { type ChunkMark, keyOfChunk } from './cache/chunk-record.js';
import { countText } from './count-text.js';
import type { ChunkCounts, FileRow, Skip, SkipReason } from './counts.js';
import { createLanguageDeclarations } from './declared-languages.js';
import { extensionOf } from './detect.js';
import { createLexers } from './embedded.js';
import { generatedByShape } from './generated.js';
import { createFileLoader, type FileToLoad } from './load-file.js';
import { baseName, printablePath } from './paths.js';
import { type CountedFile, createTally } from './tally.js';

export type { Skip } from './counts.js';

/** What a chunk yields: its tables, and its files one by one, counted and skipped, for whoever asked to hear of them. */
export interface ChunkOutcome {
  readonly counts: ChunkCounts;
  readonly rows: readonly FileRow[];
  readonly skips: readonly Skip[];
  /** How many files were not read, since they are as they were when they were last counted. */
  readonly recalled: number;
  /** What is to be remembered of the others. */
  readonly fresh: EncodedBlock | undefined;
  /** By what the chunk can be told from any other, and from itself once a file of it is changed; undefined if it cannot. */
  readonly mark: ChunkMark | undefined;
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
  /** `known` is what is remembered of the files; without it each is read, and nothing is to be remembered. */
  count(chunk: ChunkFiles, known?: KnownBlocks): ChunkOutcome;
}

/** Creates the counter of one thread. */
export function createChunkCounter(maxFileBytes: number): ChunkCounter {
  const outcomeNow = createFileCounter(maxFileBytes);
  return {
    count({ root, files, handwritten }, known) {
      const memory = known && createChunkMemory(known);
      const tally = createTally();
      const rows: FileRow[] = [];
      const skips: Skip[] = [];
      const trusted = new Set(handwritten);
      const languages = createLanguageDeclarations(root);
      for (const path of files) {
        const declared = languages.of(path);
        const file = listedFile({ root, path, handwritten: trusted.has(path), declared });
        // Of what the tree declares nothing is remembered file by file, since it may be declared otherwise the next time.
        const outcome = outcomeNow(file, declared ? undefined : memory);
        if ('counts' in outcome) {
          tally.add(outcome);
          rows.push(rowOf(outcome));
        } else {
          tally.skip(path, outcome.reason);
          skips.push(outcome);
        }
      }
      const identities = memory?.identities(files.length);
      const key = identities && keyOfChunk({ files, handwritten, languages }, maxFileBytes);
      return {
        counts: tally.result(),
        rows,
        skips,
        recalled: memory?.recalled() ?? 0,
        fresh: memory?.fresh(),
        mark: key && identities ? { key, identities } : undefined,
      };
    },
  };
}

/** Reasons that lie in the content, which is read. */
const BY_CONTENT: ReadonlySet<SkipReason> = new Set<SkipReason>(['binary', 'generated']);

/** Says what single files come to: by what is remembered of them, else by reading them. */
function createFileCounter(maxFileBytes: number) {
  const loader = createFileLoader(maxFileBytes);
  const lexers = createLexers();

  /** What its content alone decided is learnt. */
  function read(file: FileToLoad, memory?: ChunkMemory): CountedFile | Skip {
    const { path, handwritten } = file;
    const loaded = loader.load(file);
    const learn = (outcome: Remembered) => memory?.learn({ path, handwritten, stats: loaded.stats }, outcome);
    if ('skip' in loaded) {
      if (loaded.stats) learn({ skip: loaded.skip });
      return { path, reason: loaded.skip };
    }
    const { text, language, bytes } = loaded;
    const counts = countText(text, language, lexers);
    const generated = !handwritten && generatedByShape(language.name, { bytes, lines: counts.lines });
    const outcome: Remembered = generated ? { skip: 'generated' } : { language: language.name, counts };
    // A file that was cut short while it was read is not what its stats say.
    if (bytes === loaded.stats.size) learn(outcome);
    return outcomeOf(path, bytes, outcome);
  }

  /** What is no file, or too large for one, is skipped for what its stats say. */
  function readUnknown(file: FileToLoad, memory: ChunkMemory): CountedFile | Skip {
    const outcome = read(file, memory);
    if ('reason' in outcome && !BY_CONTENT.has(outcome.reason)) pin(lookAt(file.root, file.path), memory);
    return outcome;
  }

  function pin(found: Stats | undefined, memory: ChunkMemory): void {
    if (!(found?.isFile() && found.size <= maxFileBytes)) memory.pin(found);
  }

  return (file: FileToLoad, memory?: ChunkMemory): CountedFile | Skip => {
    if (memory === undefined) return read(file);
    if (!memory.knows(file.path)) return readUnknown(file, memory);
    const found = lookAt(file.root, file.path);
    const allowed = found !== undefined && found.size <= maxFileBytes;
    const remembered = allowed ? memory.recall({ ...file, stats: found }) : undefined;
    if (remembered && found) return outcomeOf(file.path, found.size, remembered);
    pin(found, memory);
    return read({ ...file, found, listed: false }, memory);
  };
}

/** All files have one form, and are built part by part: what is done for each of a hundred thousand is compiled once. */
function listedFile({ root, path, handwritten, declared }: Omit<FileToLoad, 'found' | 'listed'>): FileToLoad {
  return { root, path, handwritten, declared, found: undefined, listed: true };
}

function rowOf({ path, language, bytes, counts: { lines, code, comments, blanks } }: CountedFile): FileRow {
  return [printablePath(path), language, lines, code, comments, blanks, bytes];
}

function outcomeOf(path: string, bytes: number, outcome: Remembered): CountedFile | Skip {
  if ('skip' in outcome) return { path, reason: outcome.skip };
  const { language, counts } = outcome;
  return { path, language, extension: extensionOf(baseName(path)), bytes, counts };
}
