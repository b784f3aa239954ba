/** Gathers which lines were covered; a line that is told several times counts once, as covered if it ever was. */
import type { LineCounts, StatedFile } from './coverage.js';

/** No file has more lines; a number beyond is a fault of the report and does not count. */
const MOST_LINES = 10_000_000;

/** The files of a report while it is read. */
export interface LineTable {
  /** Names a file, so that it is there even without a line. */
  touch(path: string): void;
  mark(path: string, line: number, covered: boolean): void;
  files(): StatedFile[];
}

/** Creates an empty table. */
export function createLineTable(): LineTable {
  const files = new Map<string, Map<number, boolean>>();
  const linesOf = (path: string): Map<number, boolean> => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const lines = new Map<number, boolean>();
    files.set(path, lines);
    return lines;
  };
  return {
    touch: (path) => void linesOf(path),
    mark(path, line, covered) {
      if (!Number.isInteger(line) || line < 1 || line > MOST_LINES) return;
      const lines = linesOf(path);
      if (covered || !lines.has(line)) lines.set(line, covered);
    },
    files: () => [...files].map(([path, lines]) => ({ path, lines, counts: countLines(lines) })),
  };
}

/** Counts lines. */
export function countLines(lines: ReadonlyMap<number, boolean>): LineCounts {
  let covered = 0;
  for (const isCovered of lines.values()) if (isCovered) covered += 1;
  return { covered, total: lines.size };
}

/** Sums counts up. */
export function sumLines(counts: readonly LineCounts[]): LineCounts {
  return counts.reduce((sum, { covered, total }) => ({ covered: sum.covered + covered, total: sum.total + total }), {
    covered: 0,
    total: 0,
  });
}
