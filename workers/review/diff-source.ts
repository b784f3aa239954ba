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
  why: string;
}

/** Lines that are still to come of a hunk, and the number of the next new one. */
interface Hunk {
  old: number;
  new: number;
  next: number;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads a diff; the counts of a hunk's head decide what is in it, so that no changed line can pass for a head. */
export function sourcesOfDiff(diff: string): DiffSources {
  const files: OpenFile[] = [];
  let file: OpenFile | undefined;
  let hunk: Hunk | undefined;
  const open = (path: string, why: string): OpenFile => {
    const opened = { path, lines: [], why };
    files.push(opened);
    return opened;
  };
  for (const line of diff.split(/\r?\n/)) {
    if (hunk && (hunk.old > 0 || hunk.new > 0)) {
      if (file) takeLine(file, hunk, line);
      continue;
    }
    const head = HUNK.exec(line);
    if (head) {
      file ??= open('diff', NO_ADDED);
      hunk = { old: Number(head[1] ?? 1), next: Number(head[2]), new: Number(head[3] ?? 1) };
    } else if (line.startsWith('diff --git ')) file = open(pathOfHead(line), NO_ADDED);
    else if (line.startsWith('--- ')) file = isFresh(file) ? file : open(pathIn(line.slice(4)), NO_ADDED);
    else if (line.startsWith('+++ ') && file) nameFile(file, line.slice(4));
    else if (/^(?:Binary files|GIT binary patch)/.test(line) && file) file.why = 'binary';
  }
  return sorted(files);
}

const NO_ADDED = 'no added lines';

/** Whether only its head was read so far. */
function isFresh(file: OpenFile | undefined): boolean {
  return file !== undefined && file.lines.length === 0;
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

function nameFile(file: OpenFile, named: string): void {
  if (named.startsWith('/dev/null')) file.why = 'deleted';
  else file.path = pathIn(named);
}

/** The second path of `diff --git a/x b/x`, for files whose heads name none. */
function pathOfHead(line: string): string {
  const rest = line.slice('diff --git '.length);
  const second = rest.lastIndexOf(' b/');
  return second < 0 ? pathIn(rest) : pathIn(rest.slice(second + 1));
}

/** Without the prefix of git, what follows a tab, and the quotes around unusual names. */
function pathIn(text: string): string {
  const name = text.split('\t')[0]?.trim() ?? '';
  const bare = /^".*"$/.test(name) ? unquote(name) : name;
  return bare.replace(/^[abciow]\//, '');
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
