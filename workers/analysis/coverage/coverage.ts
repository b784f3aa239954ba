/** The words of the coverage metric. Plain JSON throughout. */
import type { Problem } from '../formats/problem.js';

/** The formats of reports that are read. */
export const COVERAGE_FORMATS = [
  'lcov',
  'cobertura',
  'jacoco',
  'istanbul',
  'istanbul-summary',
  'coverage.py',
  'go',
] as const;

/** See `COVERAGE_FORMATS`. */
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number];

/** Lines that could be covered, and those of them that were. */
export interface LineCounts {
  readonly covered: number;
  readonly total: number;
}

/** One report file. */
export interface CoverageReportFile {
  readonly path: string;
  readonly format: CoverageFormat;
  readonly files: number;
  /** Over all files that the report names, in the tree or not. */
  readonly lines: LineCounts;
  /** For formats that count statements instead of lines, as Go's; what their own tools show. */
  readonly statements?: LineCounts | undefined;
  /** Files it names that were not found in the tree, with the first few as it writes them. */
  readonly unmapped: number;
  readonly unmappedExamples: readonly string[];
  /** When it was written, in milliseconds since 1970. */
  readonly writtenMs: number;
  /** Who says so: the report itself, or the time of its file. */
  readonly writtenBy: 'report' | 'file';
  /** The newest change of a file of the tree that it covers. */
  readonly newestSourceMs?: number | undefined;
  readonly newestSource?: string | undefined;
  /** How many of the files it covers changed after it was written. */
  readonly changedSince: number;
  /** Whether any did. A fresh checkout changes all. */
  readonly stale: boolean;
}

/** All reports of one format, merged by union: a line counts once, as covered if any report says so. */
export interface FormatCoverage {
  readonly format: CoverageFormat;
  readonly reports: number;
  readonly files: number;
  readonly lines: LineCounts;
  /** How many files are in several of its reports, hence merged. */
  readonly merged: number;
}

/** One file of the tree by the reports of one format. */
export interface FileCoverage extends LineCounts {
  readonly path: string;
  readonly format: CoverageFormat;
  /** In how many reports of the format it is; over one, they are merged by union. */
  readonly reports: number;
}

/** What the reports in a tree say. */
export interface CoverageResult {
  /** Over all formats by union; files of the tree only. */
  readonly totals: { readonly files: number; readonly lines: LineCounts };
  readonly formats: readonly FormatCoverage[];
  /** By path, at most `MOST_LISTED`. */
  readonly reports: readonly CoverageReportFile[];
  readonly reportsTotal: number;
  /** The files with the most uncovered lines, at most `MOST_UNCOVERED`. */
  readonly leastCovered: readonly FileCoverage[];
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
  /** Whether folders were left unsearched because there are too many. */
  readonly searchCutOff: boolean;
  /** Every file of the tree that a report names, by path and format: the full table, at most `MOST_ROWS`. */
  readonly table: readonly FileCoverage[];
  readonly tableTotal: number;
}

/** A file as a report states it, while reports are read. */
export interface StatedFile {
  /** As written in the report. */
  readonly path: string;
  /** By line whether it was covered; undefined where the report only has sums. */
  readonly lines?: ReadonlyMap<number, boolean> | undefined;
  readonly counts: LineCounts;
}

/** A report as read. */
export interface StatedReport {
  readonly format: CoverageFormat;
  readonly files: readonly StatedFile[];
  /** Folders that its paths are relative to, absolute ones of another machine among them. */
  readonly roots: readonly string[];
  readonly writtenMs?: number | undefined;
  readonly statements?: LineCounts | undefined;
}
