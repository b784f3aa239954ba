/** Gathers the files of a review: listed, read once, rid of their secrets, each that is left out with its reason. Plain JSON. */
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside, resolveAllowedPath } from '../../src/core/allowed-folders.js';
import { AppError } from '../../src/core/errors.js';
import type { Redaction, Redactor } from '../../src/core/redaction.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { compareText } from '../analysis/counts.js';
import { decodeText } from '../analysis/decode.js';
import { detectLanguage } from '../analysis/detect.js';
import { generatedByContent, generatedByShape } from '../analysis/generated.js';
import { listFiles } from '../analysis/list-files.js';
import { printablePath } from '../analysis/paths.js';
import { createFileReader, type FileReader } from '../analysis/read-file.js';
import { openFolder } from '../refactor/open-folder.js';
import type { SkippedFile } from '../review/review-report.js';

/** A file as it was when the review began. */
export interface ReviewedFile {
  readonly path: string;
  readonly language: string;
  /** Its secrets replaced by placeholders. */
  readonly text: string;
}

/** What a review is of. */
export interface GatheredFiles {
  readonly files: readonly ReviewedFile[];
  /** The first of those left out; a large tree leaves out thousands. */
  readonly skipped: readonly SkippedFile[];
  /** The others by reason. */
  readonly notNamed: readonly { readonly reason: string; readonly files: number }[];
}

/** What is gathered from. */
export interface GatherOptions {
  /** Files and folders, real paths or as the caller wrote them. */
  readonly paths: readonly string[];
  readonly context: Pick<HandlerContext, 'allowedFolders' | 'signal' | 'progress'>;
  readonly redactor: Redactor;
}

/** Characters of one review: a job's token budget answers for no more, and a journal entry holds them all. */
const MOST_CHARS = 1_000_000;
const MOST_FILE_BYTES = 524_288;
/** A line that long was written by no hand, and is no use to a model. */
const LONGEST_LINE = 20_000;
/** Files left out that are named one by one, of those that somebody would miss and of the others. */
const NAMED = 250;
const OVER = 'more code than one review takes; ask for it in parts';

/** Languages that hold data or prose; in a folder they are passed over, named one by one they are reviewed. */
const NO_CODE = new Set([
  ...[
    'JSON',
    'JSON with Comments',
    'JSON5',
    'CSV',
    'TSV',
    'INI',
    'Properties',
    'EditorConfig',
    'Gettext',
    'Go Checksums',
    'Configuration',
  ],
  ...[
    'Markdown',
    'reStructuredText',
    'AsciiDoc',
    'Org',
    'Plain Text',
    'MediaWiki',
    'XML',
    'SVG',
    'Jupyter Notebook',
    'Other',
  ],
]);

/** A file to look at; `named` if the caller asked for this very one. */
interface Wanted {
  readonly root: string;
  readonly path: string;
  readonly shown: string;
  readonly named: boolean;
  readonly handwritten: boolean;
}

/** Gathers; a path outside the allowed folders, or one that is not there, fails the whole. */
export async function gatherFiles(options: GatherOptions): Promise<GatheredFiles> {
  const skipped = createSkipList();
  const wanted = await listWanted(options, skipped.add);
  const reader = createFileReader(MOST_FILE_BYTES);
  const files: ReviewedFile[] = [];
  let chars = 0;
  for (const [index, one] of wanted.entries()) {
    options.context.signal.throwIfAborted();
    const found = chars >= MOST_CHARS ? skip(one, OVER, true) : await lookAt(one, reader, options.redactor);
    const over = 'text' in found && chars + found.text.length > MOST_CHARS;
    if (!('text' in found)) skipped.add(found);
    else if (over) skipped.add(skip(one, OVER, true));
    else {
      chars += found.text.length;
      files.push(found);
    }
    if (index % 20 === 0) options.context.progress({ progress: 0, total: 100, message: `Reading files: ${index + 1}` });
  }
  const { skipped: left, notNamed } = skipped.result();
  const named = await withoutSecrets([...files, ...left], options.redactor);
  const skippedFiles = left.map((file, index) => ({ ...file, path: named[files.length + index] ?? '' }));
  return {
    files: files.map((file, index) => ({ ...file, path: named[index] ?? '' })),
    skipped: skippedFiles,
    notNamed,
  };
}

/** A name can be a secret, too; printable ones are a line each, and lines stay lines. */
async function withoutSecrets(files: readonly { readonly path: string }[], redactor: Redactor): Promise<string[]> {
  const { text } = await redactor.redact(files.map(({ path }) => path).join('\n'));
  return text.split('\n');
}

/** Names the first files of each kind, those that somebody would miss apart from the others, and counts the rest. */
function createSkipList() {
  const named = { missed: [] as SkippedFile[], others: [] as SkippedFile[] };
  const rest = new Map<string, number>();
  return {
    add(file: SkippedFile): void {
      const list = file.expected ? named.missed : named.others;
      if (list.length < NAMED) list.push(file);
      else rest.set(file.reason, (rest.get(file.reason) ?? 0) + 1);
    },
    result() {
      const notNamed = [...rest].map(([reason, files]) => ({ reason, files }));
      return { skipped: [...named.missed, ...named.others], notNamed };
    },
  };
}

async function listWanted(
  { paths, context }: GatherOptions,
  leaveOut: (file: SkippedFile) => void,
): Promise<readonly Wanted[]> {
  const wanted = new Map<string, Wanted>();
  const add = (one: Wanted) => {
    const full = join(one.root, one.path);
    if (!wanted.get(full)?.named) wanted.set(full, one);
  };
  for (const path of paths) {
    const { real, kind } = await resolveAllowedPath(path, context.allowedFolders);
    const shownIn = paths.length === 1 && kind === 'folder' ? real : homeOf(real, context.allowedFolders);
    const shownOf = (within: string) => printablePath(relative(shownIn, join(real, within)).split(sep).join('/'));
    if (kind === 'file') {
      const shown = printablePath(relative(shownIn, real).split(sep).join('/')) || basename(real);
      add({ root: dirname(real), path: basename(real), shown, named: true, handwritten: false });
      continue;
    }
    const onSkip = ({ path: within, reason }: { path: string; reason: string }) =>
      leaveOut({ path: shownOf(within), reason, expected: EXPECTED.has(reason) });
    const list = await listFiles({ root: real, signal: context.signal, onSkip });
    const handwritten = new Set(list.handwritten);
    for (const within of list.files)
      add({ root: real, path: within, shown: shownOf(within), named: false, handwritten: handwritten.has(within) });
  }
  return toldApart([...wanted.values()]).sort((a, b) => compareText(a.shown, b.shown));
}

/** Files of several allowed folders can be told by the same path: then by their whole ones, or one would pass for the other. */
function toldApart(wanted: readonly Wanted[]): Wanted[] {
  const counts = new Map<string, number>();
  for (const { shown } of wanted) counts.set(shown, (counts.get(shown) ?? 0) + 1);
  const whole = ({ root, path }: Wanted) => printablePath(join(root, path).split(sep).join('/'));
  return wanted.map((one) => ((counts.get(one.shown) ?? 0) > 1 ? { ...one, shown: whole(one) } : one));
}

/** The innermost allowed folder around a path: what paths are told relative to. */
function homeOf(real: string, allowed: readonly string[]): string {
  const homes = allowed.filter((folder) => isInside(real, [folder])).sort((a, b) => b.length - a.length);
  return homes[0] ?? dirname(real);
}

async function lookAt(one: Wanted, reader: FileReader, redactor: Redactor): Promise<ReviewedFile | SkippedFile> {
  const { root, path, shown, named, handwritten } = one;
  const folder = await openFolder(dirname(join(root, path)));
  if (!folder) return skip(one, 'its folder is a link', true);
  let text: string;
  let language: string;
  try {
    const read = reader.read(folder.at(basename(path)));
    if ('skip' in read) return skip(one, read.skip, EXPECTED.has(read.skip));
    const decoded = decodeText(read.buffer, read.length);
    if (!decoded) return skip(one, 'binary', false);
    const { bytes, start, end } = decoded;
    language = detectLanguage(basename(path), bytes.subarray(start, end)).name;
    if (!named && NO_CODE.has(language)) return skip(one, 'no source code', false);
    text = bytes.toString('utf8', start, end);
    const shape = { bytes: end - start, lines: text.split('\n').length };
    const generated = generatedByContent(decoded) || generatedByShape(language, shape);
    if (!named && !handwritten && generated) return skip(one, 'generated', false);
  } finally {
    await folder.close();
  }
  if (text.trim() === '') return skip(one, 'empty', false);
  if (text.split('\n').some((line) => line.length > LONGEST_LINE))
    return skip(one, 'a line is too long to be read', true);
  const redaction = await redact(redactor, text, shown);
  if (!redaction) return skip(one, 'could not be searched for secrets', true);
  if (redaction.blocked !== undefined) return skip(one, redaction.blocked, true);
  return { path: shown, language, text: redaction.text };
}

/** Reasons that whoever asked for the file would want to hear of. */
const EXPECTED = new Set<string>(['too_large', 'unreadable', 'vanished']);

function skip({ shown, named }: Wanted, reason: string, expected: boolean): SkippedFile {
  return { path: shown, reason, expected: expected || named };
}

async function redact(redactor: Redactor, text: string, path: string): Promise<Redaction | undefined> {
  try {
    return await redactor.redact(text, { path });
  } catch (error) {
    if (error instanceof AppError && error.code === 'redaction_failed') return undefined;
    throw error;
  }
}
