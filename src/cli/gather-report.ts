/** Makes a report of what the tool said and the rows that were fetched. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppError } from '../core/errors.js';
import type { Analysis, MetricTables, Report } from '../report/analysis.js';
import { type SortKey, sortedFiles, sortedLanguages } from '../report/arrange.js';
import type { FileTable } from './file-table.js';
import type { CliPorts } from './ports.js';

/** How rows are wanted, and those of files if they were fetched. */
export interface ReportWishes {
  readonly sort: SortKey;
  readonly byFile: boolean;
  readonly top?: number;
  readonly output?: readonly string[];
  readonly files?: FileTable;
  readonly tables?: MetricTables;
}

/**
 * The report; undefined if a foreign server's result is none of an analysis and nothing depends on it. Throws when
 * files or reports were asked for and cannot be made of what came.
 */
export async function gatherReport(
  ports: CliPorts,
  { sort, byFile, top, output = [], files, tables = {} }: ReportWishes,
  result: CallToolResult,
): Promise<Report | undefined> {
  const analysis = await ports.parseAnalysis(result.structuredContent);
  if (!analysis) {
    if (!byFile && output.length === 0) return undefined;
    throw new AppError(
      'handler_failed',
      'The server answered something that is no analysis, so there is no report of it.',
    );
  }
  return {
    analysis: withTables(analysis, tables),
    tables,
    languages: sortedLanguages(analysis, sort),
    ...(files && { files: sortedFiles(files.rows, sort) }),
    filesLeftOut: files?.leftOut ?? 0,
    sort,
    byFile,
    ...(top !== undefined && { top }),
    structured: isObject(result.structuredContent) ? result.structuredContent : {},
    productVersion: ports.version,
    createdAt: new Date().toISOString(),
  };
}

/** The analysis with all rows in the place of the first few. */
function withTables(analysis: Analysis, { functions, clones, hotspots }: MetricTables): Analysis {
  const { complexity, duplication, hotspots: changed } = analysis;
  const found = {
    ...(isMeasured(complexity) && functions && { complexity: { ...complexity, hardest_functions: functions } }),
    ...(isMeasured(duplication) && clones && { duplication: { ...duplication, clones } }),
    ...(isMeasured(changed) && hotspots && { hotspots: { ...changed, hotspots } }),
  };
  return { ...analysis, ...found };
}

/** Whether there are figures; a type of its own, since a failed metric has none to put rows in the place of. */
function isMeasured<M extends { readonly status: string }>(
  metric: M | undefined,
): metric is Exclude<M, { readonly status: 'failed' }> {
  return metric !== undefined && metric.status !== 'failed';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
