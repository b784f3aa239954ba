/** Renders an analysis for a terminal. */

import { bytesText, count } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import type { Analysis, LineCounts } from './ports.js';
import { alignedTable, type Column, emphasis, plainText } from './table.js';

const COLUMNS: readonly Column[] = [
  { head: 'Language' },
  ...['Files', 'Lines', 'Code', 'Comments', 'Blanks'].map((head) => ({ head, right: true })),
];
const SHOWN_LARGEST = 5;
const SHOWN_EXAMPLES = 3;

/** Language table with totals, largest files and what was skipped; `colour` allows escape codes. */
export function renderAnalysis(analysis: Analysis, colour: boolean): string {
  const style = emphasis(colour);
  const rows = analysis.by_language.map((row) => [row.language, ...cells(row)]);
  const table = alignedTable(COLUMNS, [...rows, ['Total', ...cells(analysis.totals)]], style).split('\n');
  const total = table.pop() ?? '';
  const seconds = (analysis.duration_ms / 1_000).toFixed(1);
  const summary = `${count(analysis.files_scanned)} files, ${count(analysis.total_lines)} lines, ${bytesText(analysis.totals.bytes)} in ${seconds} s`;
  const parts = [
    `${style.strong(plainText(analysis.root))}\n${style.faint(`${summary} (job ${analysis.job_id})`)}`,
    [...table, style.strong(total)].join('\n'),
    section(style.strong('Largest files'), largest(analysis)),
    section(style.strong(`Skipped: ${count(analysis.skipped)}`), skipped(analysis)),
    section(style.strong('Submodules, not scanned'), analysis.submodules.map(plainText)),
  ];
  return paragraphs(parts);
}

function cells({ files, lines, code, comments, blanks }: LineCounts): string[] {
  return [files, lines, code, comments, blanks].map(count);
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
    const named = examples.slice(0, SHOWN_EXAMPLES).map(plainText).join(', ');
    return `${count(files)} ${reason}${named === '' ? '' : `: ${named}${files > SHOWN_EXAMPLES ? ', ...' : ''}`}`;
  });
}
