/** The tables beside a result that metrics write: rows that are too many to return. */
import type { Row, Section } from '../../../src/core/table.js';
import type { HandlerContext } from '../../../src/core/tool.js';
import type { ComplexityResult } from '../../analysis/complexity/measure-complexity.js';
import type { CoverageResult } from '../../analysis/coverage/measure.js';
import type { DependencyReport } from '../../analysis/dependencies/measure.js';
import type { Duplication } from '../../analysis/duplication/measure-duplication.js';
import type { Hotspots } from '../../analysis/hotspots/measure-hotspots.js';

/** A table as an engine fills it. */
export interface MetricTable {
  readonly section: Section;
  readonly rows: readonly Row[];
}

/** Rows that are written together. */
const SLICE_ROWS = 1_000;

/** Writes a table; a re-run writes the same slices again. */
export async function writeTable(
  { section, rows }: MetricTable,
  { table }: Pick<HandlerContext, 'table'>,
): Promise<void> {
  for (let slice = 0; slice === 0 || slice * SLICE_ROWS < rows.length; slice += 1)
    await table(section, rows.slice(slice * SLICE_ROWS, (slice + 1) * SLICE_ROWS), slice);
}

/** The hardest functions, as far as the engine names them. */
export function functionTable({ hardestFunctions }: ComplexityResult): MetricTable {
  const columns = ['file', 'line', 'end_line', 'name', 'language', 'cyclomatic', 'cognitive', 'nesting'];
  const rows = hardestFunctions.map((one) => [
    one.file,
    one.line,
    one.endLine,
    one.name,
    one.language,
    one.cyclomatic,
    one.cognitive,
    one.nesting,
  ]);
  return { section: { name: 'functions', columns }, rows };
}

/** One row for each place of a clone; `clone` counts clones from 1, largest first. */
export function cloneTable({ clones }: Duplication): MetricTable {
  const columns = ['clone', 'language', 'lines', 'tokens', 'copies', 'path', 'start_line', 'end_line'];
  const rows = clones.flatMap(({ places, language, lines, tokens, copies }, index) =>
    places.map(({ path, startLine, endLine }) => [
      index + 1,
      language,
      lines,
      tokens,
      copies,
      path,
      startLine,
      endLine,
    ]),
  );
  return { section: { name: 'clones', columns }, rows };
}

/** Every dependency of every project. */
export function dependencyTable({ table }: DependencyReport): MetricTable {
  const columns = ['purl', 'ecosystem', 'name', 'version', 'locked', 'direct', 'scope', 'project'];
  const rows = table.map((one) => [
    one.purl,
    one.ecosystem,
    one.name,
    one.version ?? null,
    one.locked,
    one.direct,
    one.scope,
    one.project,
  ]);
  return { section: { name: 'dependencies', columns }, rows };
}

/** Every file of the tree that a coverage report names. */
export function coverageTable({ table }: CoverageResult): MetricTable {
  const columns = ['path', 'format', 'covered', 'total', 'reports'];
  const rows = table.map((one) => [one.path, one.format, one.covered, one.total, one.reports]);
  return { section: { name: 'coverage', columns }, rows };
}

/** Files by score. */
export function hotspotTable({ hotspots }: Hotspots): MetricTable {
  const columns = ['path', 'score', 'commits', 'authors', 'complexity', 'last_change'];
  const rows = hotspots.map((one) => [one.path, one.score, one.commits, one.authors, one.complexity, one.lastChange]);
  return { section: { name: 'hotspots', columns }, rows };
}
