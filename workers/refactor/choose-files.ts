/** Chooses the files of a folder that are put to a model, and gives the reason for each that is not. */
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../src/core/errors.js';
import type { Redaction, Redactor } from '../../src/core/redaction.js';
import { compareText } from '../analysis/counts.js';
import { detectLanguage } from '../analysis/detect.js';
import { generatedByContent, generatedByShape } from '../analysis/generated.js';
import { data } from '../analysis/languages/data.js';
import { other } from '../analysis/languages/index.js';
import { plain } from '../analysis/languages/plain.js';
import { listFiles } from '../analysis/list-files.js';
import { type RewriteStyle, tokensFor } from '../review/rewrite-prompts.js';
import { BACKUP_FOLDER } from './back-up.js';
import { openFolder, readOwnFile } from './open-folder.js';
import { readText, type TextForm } from './text-form.js';

/** A file to be put to the model. Plain JSON, as is all of a choice. */
export interface ChosenFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly language: string;
  /** Of its bytes. */
  readonly hash: string;
  /** In plain form, its secrets replaced by placeholders. */
  readonly body: string;
  readonly form: TextForm;
}

/** What was chosen, and what became of the rest. */
export interface Choice {
  readonly files: readonly ChosenFile[];
  /** The first of those passed over, by path. */
  readonly skipped: readonly SkippedFile[];
  readonly skippedFiles: readonly { readonly reason: string; readonly files: number }[];
  /** Listed files behind the last that was chosen; none was opened. */
  readonly notReached: number;
}

/** A file that was passed over. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** What to choose from, and by what. */
export interface ChoiceOptions {
  /** The real path of the folder. */
  readonly root: string;
  readonly style: RewriteStyle;
  readonly maxFiles: number;
  /** Output tokens one answer may take: a longer file cannot come back whole. */
  readonly answerTokens: number;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** Passed-over files that are named one by one. */
const NAMED = 200;
/** No token holds more bytes of source than this, so a larger file need not be read. */
const MOST_BYTES_PER_TOKEN = 8;
const PROSE = [
  ...['Markdown', 'reStructuredText', 'AsciiDoc', 'Org', 'Typst', 'Texinfo', 'Roff', 'POD', 'Plain Text', 'MediaWiki'],
  ...['PlantUML', 'Mermaid', 'Graphviz', 'D2', 'XML', 'MSBuild', 'Qt Linguist'],
];
/** Data, prose and what is known by its ending alone are no code to refactor, though their languages have names. */
const NO_SOURCE = new Set([...[...data, ...plain, other].map(({ name }) => name), ...PROSE]);
const ESCAPED_BYTES = /[\udc80-\udcff]/u;

/** Looks at files by path until enough are chosen; those that git ignores are not listed at all. */
export async function chooseFiles(options: ChoiceOptions): Promise<Choice> {
  const { root, maxFiles, signal } = options;
  const skipped: SkippedFile[] = [];
  const onSkip = (skip: SkippedFile) => skipped.push(skip);
  const list = await listFiles({ root, exclude: [BACKUP_FOLDER], signal, onSkip });
  for (const path of list.submodules) skipped.push({ path, reason: 'a repository of its own' });
  const handwritten = new Set(list.handwritten);
  const files: ChosenFile[] = [];
  let looked = 0;
  for (const path of list.files) {
    if (files.length === maxFiles) break;
    signal.throwIfAborted();
    looked += 1;
    const found = await lookAt(path, handwritten.has(path), options);
    if ('reason' in found) skipped.push(found);
    else files.push(found);
  }
  skipped.sort((a, b) => compareText(a.path, b.path));
  return {
    files,
    skipped: skipped.slice(0, NAMED),
    skippedFiles: byReason(skipped),
    notReached: list.files.length - looked,
  };
}

async function lookAt(
  path: string,
  handwritten: boolean,
  { root, style, answerTokens, redactor }: ChoiceOptions,
): Promise<ChosenFile | SkippedFile> {
  const skip = (reason: string): SkippedFile => ({ path: path.replace(/[\udc80-\udcff]/gu, '\ufffd'), reason });
  if (ESCAPED_BYTES.test(path)) return skip('its name is not UTF-8');
  const folder = await openFolder(dirname(join(root, path)));
  if (!folder) return skip('its folder is a link');
  const most = answerTokens * MOST_BYTES_PER_TOKEN;
  const read = await readOwnFile(folder.at(basename(path)), most).finally(() => folder.close());
  if (!read.ok) return skip(read.reason);
  const { bytes, hash } = read.file;
  const language = detectLanguage(basename(path), bytes).name;
  if (NO_SOURCE.has(language)) return skip('no source code');
  if (!handwritten && isGenerated(bytes, language)) return skip('generated');
  const text = readText(bytes);
  if (!text.ok) return skip(text.reason);
  if (text.body.trim() === '') return skip('empty');
  const redaction = await redact(redactor, text.body, path);
  if (redaction === undefined) return skip('could not be searched for secrets');
  if (redaction.blocked !== undefined) return skip(redaction.blocked);
  if (tokensFor(redaction.text, style) > answerTokens) return skip('too large for one answer');
  return { path, language, hash, body: redaction.text, form: text.form };
}

function isGenerated(bytes: Buffer, language: string): boolean {
  if (generatedByContent({ bytes, start: 0, end: bytes.length })) return true;
  const lines = bytes.filter((byte) => byte === 0x0a).length + 1;
  return generatedByShape(language, { bytes: bytes.length, lines });
}

async function redact(redactor: Redactor, text: string, path: string): Promise<Redaction | undefined> {
  try {
    return await redactor.redact(text, { path });
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function byReason(skipped: readonly SkippedFile[]): Choice['skippedFiles'] {
  const counts = new Map<string, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, files]) => ({ reason, files })).sort((a, b) => compareText(a.reason, b.reason));
}
