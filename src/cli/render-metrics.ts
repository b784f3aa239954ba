/** Renders the metrics of an analysis for a terminal: a heading, its sentences and an aligned table for each. */
import { count } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import type { Metrics } from '../report/analysis.js';
import { metricSections } from '../report/metric-sections.js';
import type { Section, SectionCell } from '../report/section.js';
import { alignedTable, type Column, type Emphasis, plainText } from './table.js';

const SHOWN = 10;
const INDENT = '  ';

/** A text for each metric that was measured. */
export function renderMetrics(metrics: Metrics, style: Emphasis): string[] {
  return metricSections(metrics).map((section) => renderSection(section, style));
}

function renderSection({ title, sentences, heads, rows }: Section, style: Emphasis): string {
  const told = [style.strong(title), ...sentences.map((sentence) => `  ${plainText(sentence)}`)].join('\n');
  if (rows.length === 0) return told;
  const shown = rows.slice(0, SHOWN);
  const columns = heads.map((head, at): Column => ({ head, right: shown.every((row) => typeof row[at] === 'number') }));
  const cells = shown.map((row) => row.map(cellText));
  const table = alignedTable(columns, cells, { ...style, ...(style.width && { width: style.width - INDENT.length }) });
  return paragraphs([told, table.replace(/^/gm, INDENT)]);
}

function cellText(cell: SectionCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return count(cell);
  return plainText(typeof cell === 'string' ? cell : cell.name);
}
