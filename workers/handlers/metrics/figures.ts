/** Turns what the engines measure into the bounded figures that results carry. */
import type { Figures } from '../../../src/tools/metrics.js';
import type {
  ComplexityResult,
  ComplexitySums,
  LanguageComplexity,
  Step,
} from '../../analysis/complexity/measure-complexity.js';
import type { CoverageResult, LineCounts } from '../../analysis/coverage/measure.js';
import type { DependencyReport, EcosystemCounts } from '../../analysis/dependencies/measure.js';
import type { Duplication, DuplicationCounts } from '../../analysis/duplication/measure-duplication.js';
import type { Hotspots } from '../../analysis/hotspots/measure-hotspots.js';

/** Rows of the first list of a metric, and of its others: all together stay far below what a client takes as one result. */
const MOST_ROWS = 10;
const MOST_OTHER_ROWS = 5;
const MOST_PLACES = 3;
const MOST_VERSIONS = 8;
/** Foreign text, such as a name that a generator wrote, is cut to this. */
const MOST_TEXT = 200;

/** The figures of complexity. */
export function complexityFigures(result: ComplexityResult): Figures<'complexity'> {
  return {
    totals: complexitySums(result.totals),
    by_language: result.byLanguage.slice(0, MOST_OTHER_ROWS).map(languageComplexity),
    languages_total: result.byLanguage.length,
    hardest_functions: result.hardestFunctions.slice(0, MOST_ROWS).map((found) => ({
      file: found.file,
      line: found.line,
      end_line: found.endLine,
      name: cut(found.name),
      language: found.language,
      cyclomatic: found.cyclomatic,
      cognitive: found.cognitive,
      nesting: found.nesting,
    })),
    hardest_files: result.hardestFiles.slice(0, MOST_OTHER_ROWS).map((file) => ({ ...file })),
    unparsed: result.unparsed.map((row) => ({ ...row })),
  };
}

function complexitySums({ parsedFiles, files, decisions, functions, cyclomatic, cognitive }: ComplexitySums) {
  return { files, decisions, parsed_files: parsedFiles, functions, cyclomatic, cognitive };
}

function languageComplexity(row: LanguageComplexity) {
  return {
    language: row.language,
    ...complexitySums(row),
    by_cyclomatic: row.byCyclomatic.map(stepRow),
    by_cognitive: row.byCognitive.map(stepRow),
  };
}

function stepRow({ upTo, functions }: Step) {
  return { up_to: upTo, functions };
}

/** The figures of duplication. */
export function duplicationFigures(result: Duplication): Figures<'duplication'> {
  return {
    min_lines: result.minLines,
    min_tokens: result.minTokens,
    totals: duplicationCounts(result.totals),
    by_language: result.byLanguage
      .slice(0, MOST_ROWS)
      .map((row) => ({ language: row.language, ...duplicationCounts(row) })),
    languages_total: result.byLanguage.length,
    clones: result.clones.slice(0, MOST_ROWS).map(({ language, lines, tokens, copies, places }) => ({
      language,
      lines,
      tokens,
      copies,
      places: places
        .slice(0, MOST_PLACES)
        .map(({ path, startLine, endLine }) => ({ path, start_line: startLine, end_line: endLine })),
    })),
    clones_total: result.clonesFound,
  };
}

function duplicationCounts({ files, codeLines, duplicatedLines, percentage }: DuplicationCounts) {
  return { files, code_lines: codeLines, duplicated_lines: duplicatedLines, percentage };
}

/** The figures of dependencies. */
export function dependencyFigures(report: DependencyReport): Figures<'dependencies'> {
  const direct = report.table.filter((row) => row.direct).slice(0, MOST_ROWS);
  return {
    totals: dependencyCounts(report.totals),
    ecosystems: report.ecosystems.map((row) => ({ ecosystem: row.ecosystem, ...dependencyCounts(row) })),
    direct: direct.map(({ purl, scope, project }) => ({ purl: cut(purl), scope, project })),
    duplicates: report.duplicates.slice(0, MOST_OTHER_ROWS).map(({ purl, versions, versionsTotal }) => ({
      purl: cut(purl),
      versions: versions.slice(0, MOST_VERSIONS).map(cut),
      versions_total: versionsTotal,
    })),
    duplicates_total: report.duplicatesTotal,
    ...problemRows(report),
  };
}

function dependencyCounts(counts: Omit<EcosystemCounts, 'ecosystem'>) {
  const { manifests, locks, packages, direct, transitive, unlocked, scopes, local } = counts;
  return { manifests, locks, packages, direct, transitive, unlocked, scopes: { ...scopes }, local };
}

/** The figures of coverage. */
export function coverageFigures(result: CoverageResult): Figures<'coverage'> {
  const { totals, reports } = result;
  const newest = Math.max(...reports.map(({ writtenMs }) => writtenMs));
  return {
    reports_total: result.reportsTotal,
    files: totals.files,
    lines: { ...totals.lines },
    percentage: percentageOf(totals.lines),
    stale: reports.some(({ stale }) => stale),
    ...(reports.length > 0 && { newest_report: isoTime(newest) }),
    formats: result.formats.map(({ format, reports: number, files, lines }) => ({
      format,
      reports: number,
      files,
      lines: { ...lines },
    })),
    reports: reports.slice(0, MOST_OTHER_ROWS).map((report) => ({
      path: report.path,
      format: report.format,
      files: report.files,
      lines: { ...report.lines },
      unmapped: report.unmapped,
      written: isoTime(report.writtenMs),
      changed_since: report.changedSince,
      stale: report.stale,
    })),
    least_covered: result.leastCovered
      .slice(0, MOST_ROWS)
      .map(({ path, format, covered, total }) => ({ path, format, covered, total })),
    ...problemRows(result),
  };
}

/** To two decimals, rounded down, so that only full coverage reads as such. */
function percentageOf({ covered, total }: LineCounts): number | null {
  return total === 0 ? null : Math.floor((10_000 * covered) / total) / 100;
}

/** A time that no calendar holds, as a forged report may have, is the beginning of time. */
function isoTime(timeMs: number): string {
  const date = new Date(timeMs);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}

/** The figures of hotspots. */
export function hotspotFigures(result: Hotspots): Figures<'hotspots'> {
  return {
    history: { ...result.history },
    hotspots: result.hotspots.slice(0, MOST_ROWS).map(({ complexity, score, ...file }) => ({
      ...changedRow(file),
      complexity,
      score,
    })),
    hotspots_total: result.hotspotsFound,
    most_changed: result.mostChanged.slice(0, MOST_OTHER_ROWS).map(changedRow),
    largest: result.largest.slice(0, MOST_OTHER_ROWS).map((file) => ({ ...file })),
    oldest: result.oldest
      .slice(0, MOST_OTHER_ROWS)
      .map(({ path, lastChange }) => ({ path, ...(lastChange !== undefined && { last_change: lastChange }) })),
  };
}

function changedRow({ path, commits, authors, lastChange }: Hotspots['mostChanged'][number]) {
  return { path, commits, authors, last_change: lastChange };
}

function problemRows({ problems, problemsTotal }: Pick<DependencyReport, 'problems' | 'problemsTotal'>) {
  return {
    problems: problems.slice(0, MOST_OTHER_ROWS).map(({ message, ...place }) => ({ ...place, message: cut(message) })),
    problems_total: problemsTotal,
  };
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}
