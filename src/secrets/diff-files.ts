/** Takes out what a diff shows of files that must not be sent at all: their names stand in the diff, so no caller has to tell them. */
import { reasonOfName } from './blocked-files.js';

/** A diff without the lines of such files, and where they stood, from 1. */
export interface WithoutBlocked {
  readonly text: string;
  readonly lines: readonly number[];
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const HEAD = /^(?:diff --git |--- |\+\+\+ )/;
const NAME = /^(?:---|\+\+\+) (?:"?[a-z]\/)?([^\t\r\n"]*)/;
const NAMES = /^diff --git (?:"?[a-z]\/)?(.*?)"? (?:"?[a-z]\/)?([^"\r\n]*)/;

/**
 * Replaces the lines of each hunk of a blocked file, its marks aside, by `placeholderOf` of what they held. Counts of a hunk may
 * be wrong, so what follows one is part of it until another file begins.
 */
export function withoutBlockedFiles(text: string, placeholderOf: (line: string) => string): WithoutBlocked {
  if (!/^@@ -/m.test(text)) return { text, lines: [] };
  const lines: number[] = [];
  let [isBlocked, isHunk, left] = [false, false, 0];
  const told = text.split('\n').map((line, index) => {
    // Every line of a hunk has a mark, so neither of these can stand within one.
    if (line.startsWith('diff --git ') || line.startsWith('@@ ')) left = 0;
    const hunk = left > 0 ? null : HUNK.exec(line);
    if (hunk) {
      [isHunk, left] = [true, Number(hunk[1] ?? 1) + Number(hunk[2] ?? 1)];
      return line;
    }
    if (left <= 0 && HEAD.test(line)) {
      const other = line.startsWith('+++ ') && !isHunk;
      [isBlocked, isHunk] = [(other && isBlocked) || namesBlocked(line), false];
      return line;
    }
    if (isHunk) left -= weightOf(line);
    const [, mark = '', held = '', end = ''] = /^([-+ ]?)(.*?)(\r?)$/s.exec(line) ?? [];
    if (!isBlocked || !isHunk || held === '') return line;
    lines.push(index + 1);
    return `${mark}${placeholderOf(held)}${end}`;
  });
  return lines.length === 0 ? { text, lines } : { text: told.join('\n'), lines };
}

function namesBlocked(line: string): boolean {
  const names = (NAMES.exec(line) ?? NAME.exec(line) ?? []).slice(1);
  return names.some((name) => reasonOfName(name.trim()) !== undefined);
}

/** A line that did not change counts for both sides. */
function weightOf(line: string): number {
  if (line.startsWith('\\')) return 0;
  return line.startsWith('+') || line.startsWith('-') ? 1 : 2;
}
