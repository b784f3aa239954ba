/** The formats of report files, by the extension of the file. */
import { extname } from 'node:path';
import type { Report } from './analysis.js';
import { csvReport } from './csv.js';
import { htmlReport } from './html/page.js';
import { jsonReport } from './json.js';
import { markdownReport } from './markdown.js';
import { sarifReport } from './sarif.js';

/** A way to write a report. */
export interface ReportFormat {
  readonly render: (report: Report) => string;
  /** Whether it shows files whether or not tables are by file. */
  readonly needsFiles?: boolean;
  /** Whether it shows more of what metrics found than the result names. */
  readonly needsTables?: boolean;
  /** Metrics without which it has little to show. */
  readonly metrics?: readonly string[];
}

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  '.json': { render: jsonReport, needsTables: true },
  '.md': { render: markdownReport, needsTables: true, metrics: ['complexity', 'duplication', 'hotspots'] },
  '.html': {
    render: htmlReport,
    needsFiles: true,
    needsTables: true,
    metrics: ['complexity', 'duplication', 'hotspots'],
  },
  '.sarif': { render: sarifReport, needsTables: true, metrics: ['complexity', 'duplication'] },
  '.csv': { render: csvReport },
};

/** The extensions there is a format for, in words. */
export const KNOWN_EXTENSIONS = Object.keys(FORMATS).join(', ');

/** The format that the extension of a file asks for; undefined if it asks for none that is known. */
export function formatOf(file: string): ReportFormat | undefined {
  const extension = extname(file).toLowerCase();
  return Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
}
