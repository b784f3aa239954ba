/** How the results of metrics read as Markdown: a short section for each. */
import { bytesText, count, counted } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import { type Figures, METRICS, type Measured, type Measurements, type MetricName } from './metrics.js';
import { table } from './text.js';

const SHOWN = 10;

type Sections = { readonly [Name in MetricName]: (figures: Figures<Name>) => readonly string[] };

/** A section for each metric that was measured, in a fixed order. */
export function metricsText(measurements: Measurements): string[] {
  return METRICS.flatMap((name) => {
    const text = sectionText(name, measurements[name]);
    return text === undefined ? [] : [text];
  });
}

/** The section of one metric; undefined if it was not asked for. */
export function sectionText<Name extends MetricName>(
  name: Name,
  measured: Measured<Name> | undefined,
): string | undefined {
  if (!measured) return undefined;
  const { status, duration_ms } = measured;
  const title = `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (status === 'failed') return paragraphs([title, `FAILED: ${measured.reason}`]);
  // A result that did not fail has all figures of its metric.
  const figures = measured as unknown as Figures<Name>;
  const missing = status === 'partial' ? `PARTIAL: ${measured.reason}` : '';
  const seconds = `Measured in ${(duration_ms / 1_000).toFixed(1)} s.`;
  return paragraphs([title, missing, ...SECTIONS[name](figures), seconds]);
}

const SECTIONS: Sections = {
  complexity: ({ totals, hardest_functions: functions }) => [
    `${counted(totals.decisions, 'decision point')}; ${counted(totals.functions, 'function')} in ${counted(totals.parsed_files, 'file')}, cyclomatic complexity ${count(totals.cyclomatic)} in all, cognitive ${count(totals.cognitive)}.`,
    rowsText(
      ['Hardest functions', 'Cognitive', 'Cyclomatic', 'Nesting'],
      functions.map((one) => [
        `${one.name} (${one.file}:${one.line})`,
        count(one.cognitive),
        count(one.cyclomatic),
        count(one.nesting),
      ]),
    ),
  ],
  duplication: ({ totals, clones, clones_total: all, min_lines, min_tokens }) => [
    `${totals.percentage} % of ${count(totals.code_lines)} code lines are duplicated (${count(totals.duplicated_lines)}); ${counted(all, 'clone')} of at least ${count(min_lines)} lines and ${count(min_tokens)} tokens.`,
    rowsText(
      ['Largest clones', 'Lines', 'Tokens', 'Copies'],
      clones.map((one) => [
        one.places
          .slice(0, 2)
          .map((place) => `${place.path}:${place.start_line}-${place.end_line}`)
          .join(', '),
        count(one.lines),
        count(one.tokens),
        count(one.copies),
      ]),
    ),
  ],
  dependencies: ({ totals, ecosystems, problems, problems_total: all }) => [
    totals.manifests + totals.locks === 0
      ? 'No manifest and no lock file was found.'
      : `Packages: ${count(totals.packages)}; manifests: ${count(totals.manifests)}; lock files: ${count(totals.locks)}.`,
    rowsText(
      ['Ecosystem', 'Packages', 'Direct', 'Transitive', 'Unlocked'],
      ecosystems.map((row) => [
        row.ecosystem,
        count(row.packages),
        count(row.direct),
        count(row.transitive),
        count(row.unlocked),
      ]),
    ),
    problemsText(problems, all),
  ],
  coverage: (figures) => [
    coverageText(figures),
    ...leastText(figures),
    problemsText(figures.problems, figures.problems_total),
  ],
  hotspots: ({ history, hotspots, largest }) => [
    history.source === 'none'
      ? 'No git history was found.'
      : `${counted(history.commits, 'commit')} by ${counted(history.authors, 'author')}${history.from ? ` since ${history.from.slice(0, 10)}` : ''}${history.shallow ? ' (shallow clone)' : ''}.`,
    rowsText(
      ['Hotspots', 'Score', 'Commits', 'Authors', 'Complexity'],
      hotspots.map((one) => [
        one.path,
        count(one.score),
        count(one.commits),
        count(one.authors),
        count(one.complexity),
      ]),
    ),
    hotspots.length > 0
      ? ''
      : rowsText(
          ['Largest files', 'Size'],
          largest.map((one) => [one.path, bytesText(one.bytes)]),
        ),
  ],
};

function coverageText({ reports_total: reports, lines, percentage, files, newest_report, stale }: Figures<'coverage'>) {
  if (reports === 0) return 'No coverage report was found in the tree, so nothing is known of its coverage.';
  const share =
    percentage === null ? 'No line could be covered' : `${percentage} % of ${count(lines.total)} lines are covered`;
  const age = newest_report === undefined ? '' : `, the newest of ${newest_report.slice(0, 10)}`;
  return `${share} in ${counted(files, 'file')}, by ${counted(reports, 'report')}${age}${stale ? '; files changed since: STALE' : ''}.`;
}

function leastText({ least_covered: least }: Figures<'coverage'>): string[] {
  const rows = least.map((one) => [one.path, count(one.total - one.covered), count(one.total)]);
  return [rowsText(['Least covered files', 'Uncovered', 'Lines'], rows)];
}

function rowsText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : table(head, rows.slice(0, SHOWN));
}

function problemsText(problems: Figures<'coverage'>['problems'], all: number): string {
  if (all === 0) return '';
  const lines = problems
    .slice(0, 3)
    .map((one) => `- ${one.path}${one.line === undefined ? '' : `:${one.line}`}: ${one.message}`);
  return [`${counted(all, 'problem')}, such as:`, ...lines].join('\n');
}
