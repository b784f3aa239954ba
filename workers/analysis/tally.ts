/** Adds up the counts of single files; one tally belongs to one chunk. */
import {
  type ChunkCounts,
  type Counts,
  compareText,
  type ExtensionCounts,
  type FileSize,
  type LanguageCounts,
  largest,
  MOST_EXAMPLES,
  MOST_LARGEST,
  mergeCounts,
  noCounts,
  type SkippedFiles,
  type SkipReason,
  zero,
} from './counts.js';
import type { LineCounts } from './lexer/scan-lines.js';
import type { PartCounts } from './lexer/scan-state.js';
import { isHidden, printablePath } from './paths.js';

/** One counted file. */
export interface CountedFile {
  readonly path: string;
  readonly language: string;
  readonly extension: string;
  readonly bytes: number;
  readonly counts: LineCounts;
}

/** A running sum over files. */
export interface Tally {
  add(file: CountedFile): void;
  skip(path: string, reason: SkipReason): void;
  result(): ChunkCounts;
}

/** Starts an empty tally. */
export function createTally(): Tally {
  const totals = zero();
  const byLanguage = new Map<string, LanguageCounts>();
  const byExtension = new Map<string, ExtensionCounts>();
  const skipped = new Map<SkipReason, SkippedFiles>();
  const largestFiles = createLargest();
  let hidden = 0;

  function add(file: CountedFile): void {
    addFile(totals, file);
    addFile(rowOf(file.language), file);
    for (const part of file.counts.embedded) moveLines(part, rowOf(file.language), rowOf(part.language));
    const extension = entry(byExtension, file.extension, (name) => ({ extension: name, files: 0, lines: 0, bytes: 0 }));
    extension.files += 1;
    extension.lines += file.counts.lines;
    extension.bytes += file.bytes;
    largestFiles.note(file);
    if (isHidden(file.path)) hidden += 1;
  }

  function rowOf(name: string): LanguageCounts {
    return entry(byLanguage, name, (language) => ({ language, ...zero() }));
  }

  function skip(path: string, reason: SkipReason): void {
    const row = entry(skipped, reason, (name) => ({ reason: name, files: 0, examples: [] }));
    row.files += 1;
    const last = row.examples.at(-1);
    if (row.examples.length === MOST_EXAMPLES && last !== undefined && compareText(path, last) >= 0) return;
    row.examples.push(printablePath(path));
    row.examples.sort(compareText).splice(MOST_EXAMPLES);
  }

  function result(): ChunkCounts {
    const tables = {
      totals,
      byLanguage: [...byLanguage.values()],
      byExtension: [...byExtension.values()],
      largestFiles: largestFiles.list(),
      skipped: [...skipped.values()],
      hidden,
    };
    return mergeCounts(noCounts(), tables);
  }

  return { add, skip, result };
}

/** The largest files so far, some more among them. */
function createLargest() {
  let files: FileSize[] = [];
  /** Smaller ones are not among the largest any more. */
  let leastBytes = 0;
  return {
    note({ path, bytes, language, counts }: CountedFile): void {
      if (bytes < leastBytes) return;
      files.push({ path: printablePath(path), bytes, lines: counts.lines, language });
      if (files.length < 2 * MOST_LARGEST) return;
      files = largest(files);
      leastBytes = files.at(-1)?.bytes ?? 0;
    },
    list: () => files,
  };
}

function addFile(row: Counts, { bytes, counts }: CountedFile): void {
  row.files += 1;
  row.lines += counts.lines;
  row.code += counts.code;
  row.comments += counts.comments;
  row.blanks += counts.blanks;
  row.bytes += bytes;
}

/** A file and its bytes stay with its main language; only the lines are another's. */
function moveLines({ code, comments, blanks }: Omit<PartCounts, 'language'>, from: Counts, to: Counts): void {
  const lines = code + comments + blanks;
  from.lines -= lines;
  from.code -= code;
  from.comments -= comments;
  from.blanks -= blanks;
  to.lines += lines;
  to.code += code;
  to.comments += comments;
  to.blanks += blanks;
}

function entry<K, V>(table: Map<K, V>, key: K, make: (key: K) => V): V {
  const seen = table.get(key);
  if (seen !== undefined) return seen;
  const made = make(key);
  table.set(key, made);
  return made;
}
