/** A report as Markdown (GitHub Flavored), whatever files are called. */
import { count } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import type { Report } from './analysis.js';
import type { Section, SectionCell } from './section.js';
import { sectionsOf, summaryOf } from './sections.js';

/** More rows than this make a page that no viewer shows. */
const MOST_ROWS = 1_000;

/** Headings, sentences and tables; every foreign name is a code span, so that none links, mentions or runs. */
export function markdownReport(report: Report): string {
  const { analysis } = report;
  const parts = [
    `# Code report of ${codeSpan(analysis.root)}`,
    `${summaryOf(analysis)}.`,
    ...sectionsOf(report, MOST_ROWS).map(sectionText),
  ];
  return `${paragraphs(parts)}\n`;
}

function sectionText({ title, sentences, heads, rows, total }: Section): string {
  const table = rows.length === 0 ? '' : tableText(heads, rows, total);
  return paragraphs([`## ${title}`, ...sentences.map(escaped), table]);
}

function tableText(heads: Section['heads'], rows: Section['rows'], total: Section['total']): string {
  const right = heads.map((_, at) => rows.every((row) => typeof row[at] !== 'object' && typeof row[at] !== 'string'));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = right.map((number) => (number ? '---:' : '---'));
  const last = total ? [line(total.map((cell) => (cell === undefined ? '' : `**${cellText(cell)}**`)))] : [];
  return [line(heads), line(rule), ...rows.map((row) => line(row.map(cellText))), ...last].join('\n');
}

function cellText(cell: SectionCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return count(cell);
  return typeof cell === 'string' ? escaped(cell) : codeSpan(cell.name).replaceAll('|', '\\|');
}

/** Text as a code span (CommonMark 6.1): the fence is longer than any run of backticks in it. */
export function codeSpan(text: string): string {
  if (text === '') return '';
  const line = oneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Words with everything that Markdown or HTML reads as markup escaped. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|&~@#]/g, (mark) => (mark === '@' ? '&#64;' : `\\${mark}`));
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\u{fffd}');
}
