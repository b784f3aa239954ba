/** Reads a unified diff as sources: of each file the lines its hunks show, by the numbers of the new file. */

import { detectLanguage } from '../analysis/detect.js';
import { baseName } from '../analysis/paths.js';
import type { Source, SourceLine } from './source.js';

/** The files of a diff, and those with nothing to review. */
export interface DiffSources {
  readonly sources: readonly Source[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

interface OpenFile {
  path: string;
  readonly lines: SourceLine[];
  /** Why there is nothing to review, if no line is new. */
  why: string;
  /** Whether only a head of git was read so far, to which the names that follow belong. */
  fresh: boolean;
}

/** Lines that are still to come of a hunk, and the number of the next new one. */
interface Hunk {
  old: number;
  new: number;
  next: number;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const NO_ADDED = 'no added lines';
const DELETED = 'deleted';
const BINARY = 'binary';
const MERGE = 'the diff of a merge, which is not read';

/** Reads a diff; the counts of a hunk's head decide what is in it, so that no changed line can pass for a head. */
export function sourcesOfDiff(diff: string): DiffSources {
  const files: OpenFile[] = [];
  let hunk: Hunk | undefined;
  for (const line of diff.split(/\r?\n/)) {
    const file = files.at(-1);
    if (hunk && file && (hunk.old > 0 || hunk.new > 0)) takeLine(file, hunk, line);
    else hunk = readHead(files, line);
  }
  return sorted(files);
}

/** Reads a line outside of hunks: a hunk that it begins, or what it says of the last file or of a new one. */
function readHead(files: OpenFile[], line: string): Hunk | undefined {
  const git = GIT_HEADS.find(([start]) => line.startsWith(start));
  if (git) {
    const [start, why, pathOf] = git;
    files.push({ path: pathOf(line.slice(start.length)), lines: [], why, fresh: true });
    return undefined;
  }
  const file = files.at(-1);
  // The lines of a merge have two marks and more, so that some look like heads.
  if (file?.why === MERGE) return undefined;
  const head = HUNK.exec(line);
  if (head) return openHunk(file ?? openFile(files, 'diff'), head);
  const rule = HEADS.find(([start]) => line.startsWith(start));
  rule?.[1](files, line.slice(rule[0].length));
  return undefined;
}

function openHunk(file: OpenFile, [, old = '1', next, added = '1']: RegExpExecArray): Hunk {
  file.fresh = false;
  if (file.why !== DELETED) file.why = NO_ADDED;
  return { old: Number(old), next: Number(next), new: Number(added) };
}

type GitHead = readonly [start: string, why: string, pathOf: (rest: string) => string];
const GIT_HEADS: readonly GitHead[] = [
  ['diff --git ', NO_ADDED, pathOfHead],
  ['diff --cc ', MERGE, plainPath],
  ['diff --combined ', MERGE, plainPath],
];

type Head = readonly [start: string, read: (files: OpenFile[], rest: string) => void];
const HEADS: readonly Head[] = [
  ['--- ', (files, rest) => freshIn(files) ?? openFile(files, pathIn(rest))],
  ['+++ ', (files, rest) => nameFile(files.at(-1), rest)],
  ['deleted file mode', (files) => tell(files, DELETED)],
  ['rename to ', (files) => tell(files, 'renamed, and otherwise as before')],
  ['copy to ', (files) => tell(files, 'copied, and otherwise as before')],
  ['GIT binary patch', (files) => endBinary(freshIn(files))],
  ['Binary files ', (files, rest) => endBinary(freshIn(files) ?? openFile(files, pathOfBinary(rest)))],
];

function openFile(files: OpenFile[], path: string): OpenFile {
  const file = { path, lines: [], why: NO_ADDED, fresh: false };
  files.push(file);
  return file;
}

function freshIn(files: readonly OpenFile[]): OpenFile | undefined {
  const file = files.at(-1);
  return file?.fresh ? file : undefined;
}

function tell(files: readonly OpenFile[], why: string): void {
  const file = freshIn(files);
  if (file) file.why = why;
}

function endBinary(file: OpenFile | undefined): void {
  if (!file) return;
  if (file.why !== DELETED) file.why = BINARY;
  file.fresh = false;
}

function takeLine(file: OpenFile, hunk: Hunk, line: string): void {
  const mark = line[0];
  if (mark === '\\') return;
  if (mark === '-') {
    hunk.old -= 1;
    return;
  }
  hunk.new -= 1;
  if (mark !== '+') hunk.old -= 1;
  // Some tools strip the blank of an empty line that did not change.
  file.lines.push({ number: hunk.next, text: line.slice(1), added: mark === '+' });
  hunk.next += 1;
}

function nameFile(file: OpenFile | undefined, named: string): void {
  if (!file) return;
  if (named.startsWith('/dev/null')) file.why = DELETED;
  else file.path = pathIn(named);
  file.fresh = false;
}

/** The second path of `diff --git a/x b/x`, for files whose heads name none. */
function pathOfHead(rest: string): string {
  const quoted = /"(?:[^"\\]|\\.)*"$/.exec(rest);
  if (quoted) return pathIn(quoted[0]);
  const half = (rest.length - 1) / 2;
  const [first, same] = [rest.slice(0, half), rest.slice(half + 1)].map(pathIn);
  if (first !== undefined && first === same) return first;
  const second = rest.lastIndexOf(' b/');
  return pathIn(second < 0 ? rest : rest.slice(second + 1));
}

/** The new path of `a/x and b/x differ`, or the old one of a file that is gone. */
function pathOfBinary(rest: string): string {
  const [old = '', now = old] = rest.replace(/ differ$/, '').split(' and ');
  return pathIn(now.startsWith('/dev/null') ? old : now);
}

/** Without the prefix of git, what follows a tab, and the quotes around unusual names. */
function pathIn(text: string): string {
  return plainPath(text).replace(/^[abciow]\//, '');
}

function plainPath(text: string): string {
  const name = text.split('\t')[0]?.trim() ?? '';
  return /^".*"$/.test(name) ? unquote(name) : name;
}

function unquote(name: string): string {
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3})/g, (_all, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(bytes.replace(/\\(["\\])/g, '$1'), 'latin1').toString('utf8');
}

function sorted(files: readonly OpenFile[]): DiffSources {
  const isNew = ({ lines }: OpenFile) => lines.some(({ added }) => added);
  const sources = files.filter(isNew).map(({ path, lines }) => {
    const head = Buffer.from(
      lines
        .slice(0, 50)
        .map(({ text }) => text)
        .join('\n'),
    );
    return { path, language: detectLanguage(baseName(path), head).name, lines };
  });
  const skipped = files.filter((file) => !isNew(file)).map(({ path, why }) => ({ path, reason: why }));
  return { sources, skipped };
}
