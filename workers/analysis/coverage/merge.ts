/** Merges what several reports say of one file, by union of their lines. */
import { compareText } from '../counts.js';
import {
  COVERAGE_FORMATS,
  type CoverageFormat,
  type FileCoverage,
  type FormatCoverage,
  type LineCounts,
  type StatedFile,
} from './coverage.js';
import { countLines, sumLines } from './line-table.js';

interface Merged {
  readonly lines: Map<number, boolean>;
  /** The best of the reports that only have sums. */
  sum: LineCounts | undefined;
  reports: number;
  /** The last of them. */
  report: number;
}

/** What has been merged so far. */
export interface Merger {
  /** Adds a file of the tree as a report, known by its number, has it. */
  add(format: CoverageFormat, path: string, found: { stated: StatedFile; report: number }): void;
  rows(): FileCoverage[];
  formats(reports: (format: CoverageFormat) => number): FormatCoverage[];
  /** Over all formats. */
  totals(): { files: number; lines: LineCounts };
}

/** Creates an empty merger. */
export function createMerger(): Merger {
  const byFormat = new Map<CoverageFormat, Map<string, Merged>>();
  const mergedOf = (format: CoverageFormat) => byFormat.get(format) ?? new Map<string, Merged>();

  function rows(): FileCoverage[] {
    const all = COVERAGE_FORMATS.flatMap((format) =>
      [...mergedOf(format)].map(([path, merged]) => ({ path, format, ...countsOf(merged), reports: merged.reports })),
    );
    return all.sort((one, other) => compareText(one.path, other.path) || compareText(one.format, other.format));
  }

  return {
    add(format, path, { stated, report }) {
      const files = mergedOf(format);
      byFormat.set(format, files);
      const merged = files.get(path) ?? { lines: new Map<number, boolean>(), sum: undefined, reports: 0, report: -1 };
      files.set(path, merged);
      if (merged.report !== report) merged.reports += 1;
      merged.report = report;
      if (stated.lines === undefined) merged.sum = better(merged.sum, stated.counts);
      else unite(merged.lines, stated.lines);
    },
    rows,
    formats: (reports) =>
      COVERAGE_FORMATS.filter((format) => reports(format) > 0).map((format) => {
        const files = [...mergedOf(format).values()];
        const lines = sumLines(files.map(countsOf));
        const merged = files.filter((file) => file.reports > 1).length;
        return { format, reports: reports(format), files: files.length, lines, merged };
      }),
    totals() {
      const paths = new Set([...byFormat.values()].flatMap((files) => [...files.keys()]));
      return {
        files: paths.size,
        lines: sumLines([...paths].map((path) => acrossFormats([...byFormat.values()], path))),
      };
    },
  };
}

function unite(lines: Map<number, boolean>, more: ReadonlyMap<number, boolean>): void {
  for (const [line, covered] of more) if (covered || !lines.has(line)) lines.set(line, covered);
}

function countsOf({ lines, sum }: Merged): LineCounts {
  return lines.size > 0 || sum === undefined ? countLines(lines) : sum;
}

/** Sums cannot be united: the one that covers more counts. */
function better(one: LineCounts | undefined, other: LineCounts): LineCounts {
  return one !== undefined && one.covered >= other.covered ? one : other;
}

function acrossFormats(formats: readonly ReadonlyMap<string, Merged>[], path: string): LineCounts {
  const found = formats.flatMap((files) => files.get(path) ?? []);
  const [only] = found;
  if (only !== undefined && found.length === 1) return countsOf(only);
  const lines = new Map<number, boolean>();
  for (const merged of found) unite(lines, merged.lines);
  if (lines.size > 0) return countLines(lines);
  return found.map(countsOf).reduce((best, counts) => better(best, counts), { covered: 0, total: 0 });
}
