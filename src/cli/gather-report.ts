/** Makes a report of what the tool said and the rows that were fetched. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppError } from '../core/errors.js';
import type { Report } from '../report/analysis.js';
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
}

/**
 * The report; undefined if a foreign server's result is none of an analysis and nothing depends on it. Throws when
 * files or reports were asked for and cannot be made of what came.
 */
export async function gatherReport(
  ports: CliPorts,
  { sort, byFile, top, output = [], files }: ReportWishes,
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
    analysis,
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
