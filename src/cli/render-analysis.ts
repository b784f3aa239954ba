/** Renders an analysis for a terminal. */

import { bytesText, count, counted } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import type { Analysis, Report } from '../report/analysis.js';
import { tableOf } from '../report/rows.js';
import { renderMetrics } from './render-metrics.js';
import { alignedTable, type Column, type Emphasis, emphasis, plainText, shortened } from './table.js';

const SHOWN_LARGEST = 5;
const SHOWN_EXAMPLES = 3;
const LONGEST_EXAMPLE = 60;

/** The table of languages or files with totals, largest files, what was skipped, and metrics; `colour` allows escape codes, `width` is that of the terminal. */
export function renderAnalysis(report: Report, colour: boolean, width?: number): string {
  const { analysis } = report;
  const style = emphasis(colour, width);
  const seconds = (analysis.duration_ms / 1_000).toFixed(1);
  const hidden = analysis.hidden_files ? `, ${count(analysis.hidden_files)} of them hidden` : '';
  const summary = `${counted(analysis.files_scanned, 'file')}${hidden}, ${counted(analysis.total_lines, 'line')}, ${bytesText(analysis.totals.bytes)} in ${seconds} s`;
  const parts = [
    `${style.strong(plainText(analysis.root))}\n${style.faint(`${summary} (job ${analysis.job_id})`)}`,
    countsTable(report, style),
    section(style.strong('Largest files'), largest(analysis)),
    section(style.strong(`Skipped: ${count(analysis.skipped)}`), skipped(analysis)),
    section(style.strong('Submodules, not scanned'), analysis.submodules.map(plainText)),
    ...renderMetrics(analysis, style),
  ];
  return paragraphs(parts);
}

/** Bytes are told only where rows go by them: people know the table without. */
function countsTable(report: Report, style: Emphasis): string {
  const { heads, rows, total, more, names } = tableOf(report);
  const shown = heads.flatMap((head, at) => (head === 'Bytes' && report.sort !== 'bytes' ? [] : [at]));
  const columns = shown.map((at): Column => ({ head: heads[at] ?? '', right: at >= names }));
  const cells = (row: (typeof rows)[number]) => shown.map((at) => cellText(row[at]));
  const table = alignedTable(columns, [...rows.map(cells), cells(total)], style).split('\n');
  const last = table.pop() ?? '';
  const cut = more > 0 ? [style.faint(`${count(more)} more ${more === 1 ? 'row' : 'rows'}; the total is of all.`)] : [];
  return [...table, style.strong(last), ...cut].join('\n');
}

function cellText(cell: string | number | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'number' ? count(cell) : plainText(cell);
}

function section(head: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [head, ...lines.map((line) => `  ${line}`)].join('\n');
}

function largest({ largest_files }: Analysis): string[] {
  const shown = largest_files.slice(0, SHOWN_LARGEST);
  const sizes = shown.map(({ bytes }) => bytesText(bytes));
  const lines = shown.map((file) => count(file.lines));
  const width = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  return shown.map((file, at) => {
    const size = (sizes[at] ?? '').padStart(width(sizes));
    return `${size}  ${(lines[at] ?? '').padStart(width(lines))} lines  ${plainText(file.path)} (${file.language})`;
  });
}

function skipped({ skipped_files }: Analysis): string[] {
  return skipped_files.map(({ reason, files, examples }) => {
    const named = examples
      .slice(0, SHOWN_EXAMPLES)
      .map((path) => shortened(plainText(path), LONGEST_EXAMPLE))
      .join(', ');
    return `${count(files)} ${reason}${named === '' ? '' : `: ${named}${files > SHOWN_EXAMPLES ? ', ...' : ''}`}`;
  });
}
