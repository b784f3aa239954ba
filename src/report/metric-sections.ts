/** What metrics tell in a report. */
import { count, counted } from '../core/figures.js';
import type { Clone, Measured, Metrics } from './analysis.js';
import type { Section } from './section.js';

type Body = Pick<Section, 'sentences' | 'heads' | 'rows'>;
type FiguresOf<Name extends keyof Metrics> =
  NonNullable<Metrics[Name]> extends Measured<infer Figures> ? Figures : never;

const MOST_PLACES = 4;

/** A section for each metric that was asked for, in the order of reading. */
export function metricSections(metrics: Metrics): Section[] {
  return [
    section('hotspots', 'Hotspots', metrics.hotspots, hotspots),
    section('functions', 'Hardest functions', metrics.complexity, functions),
    section('duplicates', 'Duplicates', metrics.duplication, duplicates),
    section('coverage', 'Coverage', metrics.coverage, coverage),
    section('dependencies', 'Dependencies', metrics.dependencies, dependencies),
  ].flatMap((one) => one ?? []);
}

/** A failed metric is told as that, never as an empty table. */
function section<Figures>(
  id: string,
  title: string,
  measured: Measured<Figures> | undefined,
  body: (figures: Figures) => Body,
): Section | undefined {
  if (measured === undefined) return undefined;
  if (measured.status === 'failed')
    return { id, title, sentences: [`Not measured: ${measured.reason}`], heads: [], rows: [] };
  const { sentences, ...rest } = body(measured);
  const missing = measured.status === 'partial' ? [`Incomplete: ${measured.reason}`] : [];
  return { id, title, sentences: [...sentences, ...missing], ...rest };
}

function hotspots(figures: FiguresOf<'hotspots'>): Body {
  return {
    sentences: [
      figures.history.source === 'none' || figures.history.commits === 0
        ? 'No git history of these files was found, so nothing is known of changes.'
        : `Files that change often and are complex: commits times decision points, from ${counted(figures.history.commits, 'commit')} by ${counted(figures.history.authors, 'author')}.`,
    ],
    heads: ['File', 'Score', 'Commits', 'Authors', 'Complexity', 'Last change'],
    rows: figures.hotspots.map((one) => [
      { name: one.path },
      one.score,
      one.commits,
      one.authors,
      one.complexity,
      one.last_change.slice(0, 10),
    ]),
  };
}

function functions(figures: FiguresOf<'complexity'>): Body {
  return {
    sentences: [
      `${counted(figures.totals.decisions, 'decision point')} and ${counted(figures.totals.functions, 'function')}.`,
    ],
    heads: ['Function', 'Place', 'Cognitive', 'Cyclomatic', 'Nesting'],
    rows: figures.hardest_functions.map((one) => [
      { name: one.name },
      { name: `${one.file}:${one.line}` },
      one.cognitive,
      one.cyclomatic,
      one.nesting,
    ]),
  };
}

function duplicates({ totals, clones, clones_total }: FiguresOf<'duplication'>): Body {
  return {
    sentences: [
      `${totals.percentage} % of ${count(totals.code_lines)} code lines stand in more than one place; ${counted(clones_total, 'clone')}.`,
    ],
    heads: ['Places', 'Language', 'Lines', 'Tokens', 'Copies'],
    rows: clones.map((one) => [{ name: placesText(one) }, one.language, one.lines, one.tokens, one.copies]),
  };
}

function coverage({
  reports_total,
  lines,
  percentage,
  stale,
  newest_report,
  least_covered,
}: FiguresOf<'coverage'>): Body {
  const age = newest_report === undefined ? '' : `, the newest of ${newest_report.slice(0, 10)}`;
  return {
    sentences: [
      reports_total === 0
        ? 'No coverage report was found in the tree.'
        : `${percentage ?? 'No'} % of ${count(lines.total)} lines are covered (${count(lines.covered)}), by ${counted(reports_total, 'report')} in the tree${age}.`,
      ...(stale ? ['Stale: covered files changed after their report was written.'] : []),
    ],
    heads: ['Least covered', 'Uncovered', 'Lines'],
    rows: least_covered.map((one) => [{ name: one.path }, one.total - one.covered, one.total]),
  };
}

function dependencies({ totals, ecosystems }: FiguresOf<'dependencies'>): Body {
  return {
    sentences: [`${counted(totals.packages, 'package')} in manifests and lock files.`],
    heads: ['Ecosystem', 'Packages', 'Direct', 'Transitive', 'Unlocked'],
    rows: ecosystems.map((row) => [row.ecosystem, row.packages, row.direct, row.transitive, row.unlocked]),
  };
}

function placesText({ places, copies }: Clone): string {
  const shown = places.slice(0, MOST_PLACES).map((one) => `${one.path}:${one.start_line}-${one.end_line}`);
  return copies > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}
