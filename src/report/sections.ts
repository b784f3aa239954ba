/** The parts of a report that people read, as titles, sentences and tables, before any format is chosen. */
import { bytesText, count, counted } from '../core/figures.js';
import type { Analysis, Report } from './analysis.js';
import { metricSections } from './metric-sections.js';
import { fileTable, languageTable, type ReportTable } from './rows.js';
import type { Section } from './section.js';

const MOST_PLACES = 4;
const TABLES_OF_CSV = new Set(['files', 'languages']);

/** One line on the whole: files, lines, size, time and the job. */
export function summaryOf({ files_scanned, total_lines, totals, duration_ms, job_id }: Analysis): string {
  const seconds = (duration_ms / 1_000).toFixed(1);
  return `${counted(files_scanned, 'file')}, ${counted(total_lines, 'line')}, ${bytesText(totals.bytes)}, counted in ${seconds} s (job ${job_id})`;
}

/**
 * All sections with something to tell, in the order of reading; tables have at most `mostRows` rows and say so. `top` cuts the
 * table that rows were asked of, files or languages.
 */
export function sectionsOf(report: Report, mostRows: number, withFiles = report.byFile): Section[] {
  const { top: _, ...uncut } = report;
  const { analysis, files, byFile } = report;
  const sections = [
    tableSection('languages', 'Languages', languageTable(byFile ? uncut : report)),
    ...metricSections(analysis),
    ...leftOutSections(report),
    // Last, since it is the longest.
    ...(withFiles && files ? [tableSection('files', 'Files', fileTable(byFile ? report : uncut, files))] : []),
  ];
  return sections
    .filter(({ rows, sentences }) => rows.length > 0 || sentences.length > 0)
    .map((section) => bounded(section, mostRows));
}

function tableSection(id: string, title: string, table: ReportTable): Section {
  const cells = (row: ReportTable['total']) =>
    row.map((cell, at) => (table.names === 2 && at === 0 && typeof cell === 'string' ? { name: cell } : cell));
  return {
    id,
    title,
    sentences: table.more > 0 ? [`${count(table.more)} more rows were not asked for.`] : [],
    heads: table.heads,
    rows: table.rows.map(cells),
    total: table.total,
  };
}

function leftOutSections({ analysis, filesLeftOut }: Report): Section[] {
  const { largest_files, skipped_files, submodules, skipped } = analysis;
  return [
    {
      id: 'largest',
      title: 'Largest files',
      sentences: [],
      heads: ['File', 'Language', 'Lines', 'Size'],
      rows: largest_files.map((one) => [{ name: one.path }, one.language, one.lines, bytesText(one.bytes)]),
    },
    {
      id: 'skipped',
      title: 'Skipped files',
      sentences: [
        ...(skipped > 0 ? [`${count(skipped)} files were found and not counted.`] : []),
        ...(filesLeftOut > 0
          ? [`${count(filesLeftOut)} counted files are in no table: they were too many to keep.`]
          : []),
      ],
      heads: ['Reason', 'Files', 'Such as'],
      rows: skipped_files.map((one) => [
        one.reason,
        one.files,
        { name: one.examples.slice(0, MOST_PLACES).join(', ') },
      ]),
    },
    {
      id: 'submodules',
      title: 'Submodules, not scanned',
      sentences: [],
      heads: ['Path'],
      rows: submodules.map((path) => [{ name: path }]),
    },
  ];
}

function bounded(section: Section, mostRows: number): Section {
  const more = section.rows.length - mostRows;
  if (more <= 0) return section;
  const others = TABLES_OF_CSV.has(section.id) ? 'JSON and CSV reports have' : 'a JSON report has';
  const sentence = `Here are the first ${count(mostRows)} rows; ${others} ${count(section.rows.length)}.`;
  return { ...section, rows: section.rows.slice(0, mostRows), sentences: [...section.sentences, sentence] };
}
