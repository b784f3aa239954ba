/** Decides what .gitignore files exclude, by git's rules, for trees that git itself cannot be asked about. */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import ignore, { type Ignore } from 'ignore';
import { bytewise, decodePath, encodePath } from './paths.js';

/** The rules that hold in one folder: those of its ancestors and its own. */
export interface IgnoreRules {
  /** Whether a path relative to the root of the rules is excluded; folders end in a slash. */
  excludes(path: string): boolean;
  /** The rules of a folder below: these and, with precedence, the patterns of its own .gitignore. */
  below(folder: string, patterns: string): IgnoreRules;
}

/** Rules from patterns that hold for the whole tree, least important first. */
export function createIgnoreRules(patterns: readonly string[]): IgnoreRules {
  return rulesOf(createMatcher().add(patterns.flatMap(patternLines)));
}

/** Never waits for a pipe. */
const OPENING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** As git has it, which passes over larger ones. */
const MOST_PATTERN_BYTES = 100 * 2 ** 20;
const MOST_EXACT_BYTES = 2 ** 16;

/** The text of a file of patterns, stray bytes escaped as by `decodePath`; empty when it cannot be read, or is no regular file. */
export function readPatterns(path: string): string {
  const exact = encodePath(path);
  // Most folders have none, and a refused call costs ten times this look.
  if (!existsSync(exact)) return '';
  try {
    const file = openSync(exact, OPENING);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= MOST_PATTERN_BYTES ? textOf(readFileSync(file)) : '';
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Names in other encodings are told from each other in files as people write them, not in what would take seconds. */
function textOf(bytes: Buffer): string {
  return bytes.length <= MOST_EXACT_BYTES ? decodePath(bytes) : bytes.toString('utf8');
}

function rulesOf(matcher: Ignore): IgnoreRules {
  return {
    excludes: (path) => matcher.ignores(bytewise(path)),
    below(folder, patterns) {
      const base = bytewise(folder);
      const lines = patternLines(patterns).map((line) => rebase(line, base));
      return lines.length === 0 ? this : rulesOf(createMatcher().add(matcher).add(lines));
    },
  };
}

function createMatcher(): Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true });
}

/** One pattern a line; git drops a byte order mark, the return of a CRLF pair and what says nothing. The matcher takes a further return. */
function patternLines(text: string): string[] {
  return bytewise(text.replace(/^\uFEFF/, ''))
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => withoutSpaces(line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line) => !/^!?\/?$/.test(line))
    .map((line) => (line.endsWith('\r') ? `${line}\r` : line));
}

/** Spaces at the end do not count, unless the first of them is escaped. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 0 ? end : end + 1);
}

/** A pattern of a folder, said from the root: with an inner slash it is anchored, without one it holds at any depth. */
function rebase(line: string, folder: string): string {
  if (folder === '') return line;
  const negated = line.startsWith('!');
  const pattern = negated ? line.slice(1) : line;
  const anchored = /\/./.test(pattern);
  const base = folder.replace(/[\\*?[\]!# ]/g, '\\$&');
  const rest = anchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return `${negated ? '!' : ''}/${base}/${rest}`;
}
