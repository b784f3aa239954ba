/** Reports for tests: of a given analysis, or of a small tree with every metric measured and hostile names in it. */
import type { Analysis, FileRow, Report } from '../../src/report/analysis.js';
import { type SortKey, sortedFiles, sortedLanguages } from '../../src/report/arrange.js';

/** A name that is markup, a formula's neighbour and a way out of scripts at once. */
export const HOSTILE = `<img src=x onerror="window.hacked=1">|\`</script>\u2028'&.js`;

const counts = (files: number, code: number) => ({
  files,
  lines: code + 30,
  code,
  comments: 20,
  blanks: 10,
  bytes: code * 30,
});

/** An analysis with all that reports show. */
export const ANALYSIS: Analysis = {
  root: '/src/a tree',
  job_id: 'job_1',
  files_scanned: 4,
  skipped: 2,
  total_lines: 1_420,
  totals: { files: 4, lines: 1_420, code: 1_300, comments: 80, blanks: 40, bytes: 39_000 },
  by_language: [
    { language: 'TypeScript', ...counts(2, 1_000) },
    { language: 'C++', ...counts(1, 200) },
    { language: 'JavaScript', ...counts(1, 100) },
  ],
  largest_files: [{ path: 'src/big.ts', language: 'TypeScript', lines: 900, bytes: 27_000 }],
  skipped_files: [{ reason: 'binary', files: 2, examples: ['logo.png', HOSTILE] }],
  submodules: ['vendor/x'],
  duration_ms: 1_500,
  complexity: {
    status: 'complete',
    totals: { decisions: 200, functions: 12 },
    by_language: [
      { language: 'TypeScript', decisions: 150 },
      { language: 'C++', decisions: 50 },
    ],
    hardest_functions: [
      {
        file: 'src/big.ts',
        line: 10,
        end_line: 90,
        name: 'untangle',
        language: 'TypeScript',
        cyclomatic: 25,
        cognitive: 40,
        nesting: 5,
      },
      {
        file: 'src/big.ts',
        line: 100,
        end_line: 105,
        name: 'easy',
        language: 'TypeScript',
        cyclomatic: 2,
        cognitive: 1,
        nesting: 1,
      },
    ],
  },
  duplication: {
    status: 'partial',
    reason: 'one file was too large',
    totals: { code_lines: 1_300, duplicated_lines: 130, percentage: 10 },
    clones: [
      {
        language: 'TypeScript',
        lines: 12,
        tokens: 90,
        copies: 3,
        places: [
          { path: 'src/big.ts', start_line: 5, end_line: 16 },
          { path: 'src/a b.ts', start_line: 1, end_line: 12 },
        ],
      },
    ],
    clones_total: 7,
  },
  hotspots: {
    status: 'complete',
    history: { source: 'git', commits: 120, authors: 3 },
    hotspots: [
      {
        path: 'src/big.ts',
        commits: 40,
        authors: 2,
        last_change: '2026-01-02T03:04:05Z',
        complexity: 120,
        score: 4_800,
      },
      { path: HOSTILE, commits: 2, authors: 1, last_change: '2026-01-01T00:00:00Z', complexity: 3, score: 6 },
    ],
    hotspots_total: 2,
  },
  coverage: { status: 'failed', reason: 'git was not found' },
};

/** The files of `ANALYSIS`. */
export const FILES: readonly FileRow[] = [
  { path: 'src/big.ts', language: 'TypeScript', ...sizes(900), complexity: 120 },
  { path: 'src/a b.ts', language: 'TypeScript', ...sizes(100), complexity: 30 },
  { path: 'native/x.cc', language: 'C++', ...sizes(200), complexity: 50 },
  { path: HOSTILE, language: 'JavaScript', ...sizes(100), complexity: 3 },
];

function sizes(code: number) {
  const { files: _files, ...rest } = counts(1, code);
  return rest;
}

/** A report of the analysis, with `wishes` over the defaults. */
export function reportOf(analysis: Analysis, wishes: Partial<Report> & { sort?: SortKey } = {}): Report {
  const { sort = 'code', files, ...rest } = wishes;
  return {
    analysis,
    languages: sortedLanguages(analysis, sort),
    sort,
    byFile: false,
    filesLeftOut: 0,
    structured: { root: analysis.root },
    productVersion: '1.2.3',
    createdAt: '2026-01-03T00:00:00.000Z',
    ...(files && { files: sortedFiles(files, sort) }),
    ...rest,
  };
}
