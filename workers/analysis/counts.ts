/** The tables a scan yields, and how the tables of two parts of a tree become one. Plain JSON throughout. */

/** Why a file was not counted. */
export type SkipReason =
  | 'binary'
  | 'hidden'
  | 'vendored'
  | 'generated'
  | 'unreadable'
  | 'fifo'
  | 'socket'
  | 'device'
  | 'symlink'
  | 'too_large'
  | 'vanished';

/** One skipped file. */
export interface Skip {
  readonly path: string;
  readonly reason: SkipReason;
}

/** Sums over files; `code`, `comments` and `blanks` add up to `lines`. */
export interface Counts {
  files: number;
  lines: number;
  code: number;
  comments: number;
  blanks: number;
  bytes: number;
}

/** The sums of one language: the files and bytes of which it is the main one, and its lines in files of any language. */
export interface LanguageCounts extends Counts {
  language: string;
}

/** The sums of one file extension; the empty one stands for files without. */
export interface ExtensionCounts {
  extension: string;
  files: number;
  lines: number;
  bytes: number;
}

/** One counted file. */
export interface FileSize {
  path: string;
  bytes: number;
  lines: number;
  language: string;
}

/** What is known of one counted file, in the order of `FileRow`. */
export const FILE_COLUMNS = ['path', 'language', 'lines', 'code', 'comments', 'blanks', 'bytes'] as const;

/** One counted file, with all its lines whatever language they are of; without names, since there is one for each file of a tree. */
export type FileRow = readonly [
  path: string,
  language: string,
  lines: number,
  code: number,
  comments: number,
  blanks: number,
  bytes: number,
];

/** The files skipped for one reason, with the first few by path as examples. */
export interface SkippedFiles {
  reason: SkipReason;
  files: number;
  examples: string[];
}

/** What counting a set of files yields: tables whose size does not grow with the number of files. */
export interface ChunkCounts {
  totals: Counts;
  byLanguage: LanguageCounts[];
  byExtension: ExtensionCounts[];
  largestFiles: FileSize[];
  skipped: SkippedFiles[];
  /** How many of the counted files are hidden; absent in what older workers counted. */
  hidden?: number;
}

/** How many of the largest files a result names. */
export const MOST_LARGEST = 20;
/** How many examples a result names for each reason to skip. */
export const MOST_EXAMPLES = 5;

/** The counts of no files. */
export function noCounts(): ChunkCounts {
  return { totals: zero(), byLanguage: [], byExtension: [], largestFiles: [], skipped: [], hidden: 0 };
}

/**
 * The counts of two disjoint sets of files together. Associative and commutative, so that chunks may be merged in any
 * order; every table comes out sorted.
 */
export function mergeCounts(a: ChunkCounts, b: ChunkCounts): ChunkCounts {
  return mergeAllCounts([a, b]);
}

/** The counts of any number of disjoint sets of files together; far cheaper than two at a time. */
export function mergeAllCounts(all: readonly ChunkCounts[]): ChunkCounts {
  const languages = all.flatMap(({ byLanguage }) => byLanguage);
  const extensions = all.flatMap(({ byExtension }) => byExtension);
  return {
    totals: all.reduce((sum, { totals }) => addCounts(sum, totals), zero()),
    byLanguage: mergeTables(languages, (row) => row.language, addLanguages).sort(
      (x, y) => y.code - x.code || compareText(x.language, y.language),
    ),
    byExtension: mergeTables(extensions, (row) => row.extension, addExtensions).sort(
      (x, y) => y.files - x.files || compareText(x.extension, y.extension),
    ),
    largestFiles: largest(all.flatMap(({ largestFiles }) => largestFiles)),
    skipped: sortedSkipped(all.flatMap(({ skipped }) => skipped)),
    hidden: all.reduce((sum, { hidden = 0 }) => sum + hidden, 0),
  };
}

/** The skipped files of two disjoint sets together, sorted by reason. */
export function mergeSkipped(a: readonly SkippedFiles[], b: readonly SkippedFiles[]): SkippedFiles[] {
  return sortedSkipped([...a, ...b]);
}

function sortedSkipped(rows: readonly SkippedFiles[]): SkippedFiles[] {
  return mergeTables(rows, (row) => row.reason, addSkipped).sort((x, y) => compareText(x.reason, y.reason));
}

/** The largest files of a list, largest first; of equal ones the first by path. */
export function largest(files: readonly FileSize[]): FileSize[] {
  return [...files].sort((x, y) => y.bytes - x.bytes || compareText(x.path, y.path)).slice(0, MOST_LARGEST);
}

/** Orders text by code unit, the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sums of nothing. */
export function zero(): Counts {
  return { files: 0, lines: 0, code: 0, comments: 0, blanks: 0, bytes: 0 };
}

function addCounts(a: Counts, b: Counts): Counts {
  return {
    files: a.files + b.files,
    lines: a.lines + b.lines,
    code: a.code + b.code,
    comments: a.comments + b.comments,
    blanks: a.blanks + b.blanks,
    bytes: a.bytes + b.bytes,
  };
}

function addLanguages(a: LanguageCounts, b: LanguageCounts): LanguageCounts {
  return { language: a.language, ...addCounts(a, b) };
}

function addExtensions(a: ExtensionCounts, b: ExtensionCounts): ExtensionCounts {
  return { extension: a.extension, files: a.files + b.files, lines: a.lines + b.lines, bytes: a.bytes + b.bytes };
}

function addSkipped(a: SkippedFiles, b: SkippedFiles): SkippedFiles {
  const examples = [...a.examples, ...b.examples].sort(compareText).slice(0, MOST_EXAMPLES);
  return { reason: a.reason, files: a.files + b.files, examples };
}

function mergeTables<Row>(rows: readonly Row[], key: (row: Row) => string, add: (a: Row, b: Row) => Row): Row[] {
  const table = new Map<string, Row>();
  for (const row of rows) {
    const seen = table.get(key(row));
    table.set(key(row), seen === undefined ? row : add(seen, row));
  }
  return [...table.values()];
}
