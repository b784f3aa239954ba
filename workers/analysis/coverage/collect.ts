/** Reads every coverage report of a tree and sums up; synchronous, for a worker thread. */
import { lstatSync } from 'node:fs';
import { compareText } from '../counts.js';
import { FormatFault } from '../formats/fault.js';
import type { Problem } from '../formats/problem.js';
import { createSourceReader } from '../formats/source-text.js';
import { folderOf } from '../formats/tree-path.js';
import { baseName, encodePath, printablePath } from '../paths.js';
import type { CoverageReportFile, CoverageResult, FileCoverage, StatedFile, StatedReport } from './coverage.js';
import { findReports } from './find-reports.js';
import { sumLines } from './line-table.js';
import { createPathMap } from './map-paths.js';
import { createMerger } from './merge.js';
import { reportRule, unreadableReport } from './report-names.js';

/** How many reports and problems a result lists. */
export const MOST_LISTED = 1000;
/** How many of the least covered files. */
export const MOST_UNCOVERED = 50;
/** How many rows its table has. */
export const MOST_ROWS = 100_000;
const MOST_EXAMPLES = 5;
const MOST_MESSAGE = 300;
/** A source counts as changed after a report only by more than file systems round and test runs take to write. */
const TOLERANCE_MS = 2000;
/** A report's own time is not believed before this, nor in the future by more than clocks differ. */
const EARLIEST_MS = Date.UTC(2000);
const CLOCK_SKEW_MS = 86_400_000;
const GO_MOD_BYTES = 1024 * 1024;
const MOST_MODULES = 1000;

/** What to read; sizes over the format's own limit times `share` are not. */
export interface CollectRequest {
  readonly root: string;
  readonly files: readonly string[];
  readonly share: number;
}

type ReadReport = StatedReport | { readonly problem: Omit<Problem, 'path'> } | undefined;

/** Reads the tree; `onProgress` hears after each report. */
export function collectCoverage(
  request: CollectRequest,
  onProgress: (done: number, total: number) => void,
): CoverageResult {
  const { root, files, share } = request;
  const { paths, cutOff } = findReports(root, files);
  const mapPath = createPathMap(root, files);
  const modules = findGoModules(root, files);
  const merger = createMerger();
  const reports: CoverageReportFile[] = [];
  const problems: Problem[] = [];
  paths.forEach((path, index) => {
    const report = readReport(root, path, share);
    if (report !== undefined && 'problem' in report) problems.push({ path: printablePath(path), ...report.problem });
    else if (report !== undefined) {
      const hints = { folder: folderOf(path), roots: report.roots, modules };
      const { mapped, row } = placeReport(root, path, { report, fileOf: (stated) => mapPath(stated, hints) });
      for (const [file, stated] of mapped) merger.add(report.format, printablePath(file), { stated, report: index });
      reports.push(row);
    }
    onProgress(index + 1, paths.length);
  });

  const table = merger.rows();
  return {
    totals: merger.totals(),
    formats: merger.formats((format) => reports.filter((report) => report.format === format).length),
    reports: reports.slice(0, MOST_LISTED),
    reportsTotal: reports.length,
    leastCovered: [...table].sort(byUncovered).slice(0, MOST_UNCOVERED),
    problems: problems.slice(0, MOST_LISTED),
    problemsTotal: problems.length,
    searchCutOff: cutOff,
    table: table.slice(0, MOST_ROWS),
    tableTotal: table.length,
  };
}

interface Placed {
  readonly mapped: readonly (readonly [path: string, file: StatedFile])[];
  readonly row: CoverageReportFile;
}

/** Finds the files of the tree that a report is about. */
function placeReport(
  root: string,
  path: string,
  { report, fileOf }: { report: StatedReport; fileOf: (stated: string) => string | undefined },
): Placed {
  const mapped: [path: string, file: StatedFile][] = [];
  const unmapped: string[] = [];
  for (const file of report.files) {
    const found = fileOf(file.path);
    if (found === undefined) unmapped.push(file.path);
    else mapped.push([found, file]);
  }
  const row: CoverageReportFile = {
    path: printablePath(path),
    format: report.format,
    files: report.files.length,
    lines: sumLines(report.files.map(({ counts }) => counts)),
    statements: report.statements,
    unmapped: unmapped.length,
    unmappedExamples: unmapped.slice(0, MOST_EXAMPLES).map((example) => example.slice(0, MOST_MESSAGE)),
    ...ageOf(root, path, { report, mapped: mapped.map(([file]) => file) }),
  };
  return { mapped, row };
}

/** Reads one report; undefined for a file that only goes by a report's name. */
function readReport(root: string, path: string, share: number): ReadReport {
  const unreadable = unreadableReport(path);
  if (unreadable !== undefined) return { problem: { message: unreadable } };
  const rule = reportRule(path);
  if (rule === undefined) return undefined;
  const found = createSourceReader(root)(path, rule.maxBytes * share);
  if ('problem' in found) return { problem: { message: found.problem } };
  if (rule.begins?.test(found.text) === false) return undefined;
  try {
    return rule.read(found.text);
  } catch (error) {
    if (!(error instanceof FormatFault))
      return { problem: { message: `This could not be read: ${String(error).slice(0, MOST_MESSAGE)}` } };
    return { problem: { line: error.line, column: error.column, message: error.message.slice(0, MOST_MESSAGE) } };
  }
}

/** Go's profiles name files by module path; the go.mod files say which folder that is. The longest path goes first. */
function findGoModules(root: string, files: readonly string[]): Map<string, string> {
  const read = createSourceReader(root);
  const found = files
    .filter((path) => baseName(path) === 'go.mod')
    .slice(0, MOST_MODULES)
    .flatMap((path) => {
      const mod = read(path, GO_MOD_BYTES);
      const module = 'text' in mod ? /^module[ \t]+"?([^\s"]+)/m.exec(mod.text)?.[1] : undefined;
      return module === undefined ? [] : [[module, folderOf(path)] as const];
    });
  return new Map(found.sort(([one], [other]) => other.length - one.length));
}

type Age = Pick<
  CoverageReportFile,
  'writtenMs' | 'writtenBy' | 'newestSourceMs' | 'newestSource' | 'changedSince' | 'stale'
>;

function ageOf(
  root: string,
  path: string,
  { report, mapped }: { report: StatedReport; mapped: readonly string[] },
): Age {
  const own = report.writtenMs;
  const believed = own !== undefined && own > EARLIEST_MS && own < Date.now() + CLOCK_SKEW_MS;
  const writtenMs = Math.floor(believed ? own : (changedMs(root, path) ?? Date.now()));
  let newest: { path: string; ms: number } | undefined;
  let changedSince = 0;
  for (const source of mapped) {
    const ms = changedMs(root, source);
    if (ms === undefined) continue;
    if (newest === undefined || ms > newest.ms) newest = { path: source, ms };
    if (ms > writtenMs + TOLERANCE_MS) changedSince += 1;
  }
  return {
    writtenMs,
    writtenBy: believed ? 'report' : 'file',
    newestSourceMs: newest === undefined ? undefined : Math.floor(newest.ms),
    newestSource: newest === undefined ? undefined : printablePath(newest.path),
    changedSince,
    stale: changedSince > 0,
  };
}

function changedMs(root: string, path: string): number | undefined {
  try {
    return lstatSync(encodePath(`${root}/${path}`), { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}

function byUncovered(one: FileCoverage, other: FileCoverage): number {
  return other.total - other.covered - (one.total - one.covered) || compareText(one.path, other.path);
}
