/** Reads the line-based formats: lcov's tracefiles and Go's cover profiles. */
import { FormatFault } from '../formats/fault.js';
import type { LineCounts, StatedFile, StatedReport } from './coverage.js';
import { createLineTable, sumLines } from './line-table.js';

const LCOV_LINE = /^DA:(\d+),(-?\d+)/;
const LCOV_SUM = /^L([FH]):(\d+)/;
const GO_MODE = /^mode: (?:set|count|atomic)\s*$/;
const GO_BLOCK = /^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)\s*$/;
/** A block of more lines is a fault of the profile. */
const MOST_BLOCK_LINES = 100_000;

/** Each line of a text with its number, without a list of them all. */
export function* linesOf(text: string): Generator<{ content: string; line: number }> {
  for (let start = 0, line = 1; start < text.length; line++) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    yield { content: text.slice(start, stop).trimEnd(), line };
    start = stop + 1;
  }
}

/** Reads a tracefile as `geninfo` describes it; a record without lines of its own counts by its sums. */
export function readLcov(text: string): StatedReport {
  const table = createLineTable();
  const sums = new Map<string, { F: number; H: number }>();
  let path: string | undefined;
  for (const { content, line } of linesOf(text)) {
    if (content.startsWith('SF:')) {
      path = content.slice(3);
      table.touch(path);
    } else if (content === 'end_of_record') path = undefined;
    else if (path !== undefined) readLcovField(content, path, { table, sums });
    else if (content !== '' && !/^(?:TN:|#|VER:)/.test(content)) {
      throw new FormatFault('This is not an lcov tracefile: expected SF.', { line });
    }
  }
  const files = table.files().map((file): StatedFile => {
    const sum = sums.get(file.path);
    if (file.counts.total > 0 || sum === undefined) return file;
    return { path: file.path, counts: { covered: Math.min(sum.H, sum.F), total: sum.F } };
  });
  return { format: 'lcov', files, roots: [] };
}

interface LcovState {
  readonly table: ReturnType<typeof createLineTable>;
  readonly sums: Map<string, { F: number; H: number }>;
}

function readLcovField(content: string, path: string, { table, sums }: LcovState): void {
  const [, number, hits] = LCOV_LINE.exec(content) ?? [];
  if (number !== undefined) table.mark(path, Number(number), Number(hits) > 0);
  const [, kind, value] = LCOV_SUM.exec(content) ?? [];
  if (kind !== 'F' && kind !== 'H') return;
  const sum = sums.get(path) ?? { F: 0, H: 0 };
  sum[kind] = Number(value);
  sums.set(path, sum);
}

/** Reads a cover profile: blocks of statements, whose lines count as covered if any block on them was. */
export function readGoProfile(text: string): StatedReport {
  const table = createLineTable();
  const blocks = new Map<string, { statements: number; covered: boolean }>();
  for (const { content, line } of linesOf(text)) {
    if (content === '' || GO_MODE.test(content)) continue;
    const match = GO_BLOCK.exec(content);
    if (match === null) throw new FormatFault('This is not a Go cover profile: expected a block.', { line });
    const [, path = '', first, , last, , statements, count] = match;
    const covered = Number(count) > 0;
    // Profiles of several packages repeat blocks.
    const key = content.slice(0, content.lastIndexOf(' '));
    const known = blocks.get(key);
    blocks.set(key, { statements: Number(statements), covered: covered || known?.covered === true });
    const end = Math.min(Number(last), Number(first) + MOST_BLOCK_LINES);
    for (let at = Number(first); at <= end; at++) table.mark(path, at, covered);
  }
  const statements = [...blocks.values()].map(
    (block): LineCounts => ({ covered: block.covered ? block.statements : 0, total: block.statements }),
  );
  return { format: 'go', files: table.files(), roots: [], statements: sumLines(statements) };
}
