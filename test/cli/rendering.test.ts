import { describe, expect, it } from 'vitest';
import { readableLogLine } from '../../src/cli/child-log.js';
import { reportFailure } from '../../src/cli/exit.js';
import type { Terminal } from '../../src/cli/ports.js';
import { createProgressDisplay, progressText } from '../../src/cli/progress-display.js';
import { renderAnalysis } from '../../src/cli/render-analysis.js';
import { durationText } from '../../src/cli/render-jobs.js';
import { alignedTable, emphasis, plainLines, plainText } from '../../src/cli/table.js';
import { AppError } from '../../src/core/errors.js';
import { bytesText } from '../../src/core/figures.js';
import type { Analysis, Metrics } from '../../src/report/analysis.js';
import { reportOf } from '../report/reports.js';

const COUNTS = { files: 1_234, lines: 5_678, code: 4_000, comments: 1_000, blanks: 678, bytes: 2_097_152 };
const ANALYSIS: Analysis = {
  root: '/src/\u001b[31mred',
  job_id: 'job_1',
  files_scanned: 1_234,
  skipped: 4,
  total_lines: 5_678,
  totals: COUNTS,
  by_language: [{ language: 'TypeScript', ...COUNTS }],
  largest_files: [{ path: 'a.ts', language: 'TypeScript', lines: 900, bytes: 1_536 }],
  skipped_files: [{ reason: 'binary', files: 4, examples: ['a.png', 'b.png', 'c.png', 'd.png'] }],
  submodules: ['vendor/x'],
  duration_ms: 1_500,
};

const METRICS: Metrics = {
  complexity: {
    status: 'complete',
    totals: { functions: 2, decisions: 9 },
    by_language: [],
    hardest_functions: [
      {
        file: 'a.js',
        line: 3,
        end_line: 9,
        name: '\u001b[31mhard',
        language: 'JavaScript',
        cyclomatic: 5,
        cognitive: 7,
        nesting: 2,
      },
    ],
  },
  duplication: { status: 'failed', reason: 'no memory' },
  dependencies: {
    status: 'partial',
    reason: 'see problems',
    totals: { packages: 5 },
    ecosystems: [{ ecosystem: 'npm', packages: 5, direct: 2, transitive: 3, unlocked: 0 }],
  },
  coverage: {
    status: 'complete',
    reports_total: 0,
    lines: { covered: 0, total: 0 },
    percentage: null,
    stale: false,
    least_covered: [],
  },
};

describe('an analysis on a terminal', () => {
  it('is an aligned table with thousands separated', () => {
    expect(renderAnalysis(reportOf(ANALYSIS), false).split('\n').slice(3, 6)).toEqual([
      'Language    Files  Lines   Code  Comments  Blanks',
      'TypeScript  1,234  5,678  4,000     1,000     678',
      'Total       1,234  5,678  4,000     1,000     678',
    ]);
  });

  it('names the largest files, the skipped ones and the submodules', () => {
    const text = renderAnalysis(reportOf(ANALYSIS), false);
    expect(text).toContain('1.5 KiB  900 lines  a.ts (TypeScript)');
    expect(text).toContain('Skipped: 4\n  4 binary: a.png, b.png, c.png, ...');
    expect(text).toContain('Submodules, not scanned\n  vendor/x');
  });

  it('has a section with a table for each metric, and says what failed or is missing', () => {
    const text = renderAnalysis(reportOf({ ...ANALYSIS, ...METRICS }), false);
    expect(text).toContain('Hardest functions\n  9 decision points and 2 functions.\n\n  Function ');
    expect(text).toMatch(/^ {2}\ufffd\[31mhard +a\.js:3 +7 +5 +2$/m);
    expect(text).toContain('Duplicates\n  Not measured: no memory');
    expect(text).toContain('Incomplete: see problems');
    expect(text).toMatch(/^ {2}npm +5 +2 +3 +0$/m);
    expect(text).toContain('Coverage\n  No coverage report was found in the tree.');
    expect(text).not.toContain('Hotspots');
    expect(renderAnalysis(reportOf(ANALYSIS), false)).not.toContain('Hardest');
  });

  it('tells one file as one', () => {
    const one = reportOf({ ...ANALYSIS, files_scanned: 1, total_lines: 1 });

    expect(renderAnalysis(one, false)).toMatch(/^1 file(?:, \d+ of them hidden)?, 1 line, /m);
  });

  it('holds escape codes only if asked for, and never those of a file name', () => {
    expect(renderAnalysis(reportOf(ANALYSIS), false)).not.toContain('\u001b');
    expect(renderAnalysis(reportOf(ANALYSIS), true)).toContain('\u001b[1m');
    expect(renderAnalysis(reportOf(ANALYSIS), true)).not.toContain('\u001b[31m');
  });
});

describe('progress without a terminal', () => {
  function setup() {
    const lines: string[] = [];
    let nowMs = 0;
    const terminal = { err: (line: string) => lines.push(line), stderr: { isTTY: false } } as unknown as Terminal;
    return { lines, display: createProgressDisplay(terminal, () => nowMs), at: (ms: number) => (nowMs = ms) };
  }

  it('is thinned to a line a second, and ends with the last word', () => {
    const { lines, display, at } = setup();
    for (let step = 0; step <= 25; step++) {
      at(step * 100);
      display.progress({ progress: step, total: 25, message: `step ${step}` });
    }
    display.stop();
    display.stop();
    expect(lines).toEqual(['0%  step 0', '40%  step 10', '80%  step 20', '100%  step 25']);
  });

  it('never holds back a note', () => {
    const { lines, display } = setup();
    display.progress({ progress: 1 });
    display.progress({ progress: 2 });
    display.note('warning: slow');
    expect(lines).toEqual(['progress 1', 'warning: slow']);
  });

  it('never shows more than all, nor a percentage of an unknown total', () => {
    expect(progressText({ progress: 11, total: 10 })).toBe('100%');
    expect(progressText({ progress: 5, message: 'files counted' })).toBe('files counted');
    expect(progressText({ progress: 5, total: 0 })).toBe('progress 5');
  });
});

describe('foreign text', () => {
  it('cannot steer a terminal, and keeps its lines only where it may', () => {
    const text = 'a\u001b[2J\tb\r\nc\rd\u009bm';
    expect(plainLines(text)).toBe('a\u{fffd}[2J\tb\r\nc\u{fffd}d\u{fffd}m');
    expect(plainText('a\nb')).toBe('a\u{fffd}b');
  });

  it('of a failure steers no terminal either', async () => {
    const told: string[] = [];
    const terminal = { err: (line: string) => told.push(line) } as unknown as Terminal;
    await reportFailure(terminal, new AppError('handler_failed', 'no\u001b]0;title\u0007\nwhy'), false);
    expect(told).toEqual(['error: no\u{fffd}]0;title\u{fffd}\nwhy']);
  });
});

describe('small words', () => {
  it.each([
    ['{"level":40,"msg":"slow","pid":1}', 'warn: slow'],
    ['{"level":50,"msg":"failed","err":{"message":"why","stack":"at"}}', 'error: failed: why'],
    ['{"level":50}', '{"level":50}'],
    ['{broken', '{broken'],
    ['error: plain', 'error: plain'],
  ])('turn the log line %s into %s', (line, words) => {
    expect(readableLogLine(line)).toBe(words);
  });

  it.each([
    [400, '0s'],
    [61_000, '1m 1s'],
    [7_260_000, '2h 1m'],
    [200_000_000, '2d 7h'],
  ])('tell %d ms as %s', (ms, words) => {
    expect(durationText(ms)).toBe(words);
  });

  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_048_576, '1.0 MiB'],
  ])('tell %d bytes as %s', (bytes, words) => {
    expect(bytesText(bytes)).toBe(words);
  });
});

describe('a table that is wider than the terminal', () => {
  it('cuts the beginnings of the widest texts until it fits, and never a number', () => {
    const rows = [
      ['a/long/path/to/some/file.ts', 'TypeScript', '1,234,567'],
      ['b.c', 'C', '1'],
    ];
    const columns = [{ head: 'Path' }, { head: 'Language' }, { head: 'Lines', right: true }];
    const plain = emphasis(false).strong;

    expect(alignedTable(columns, rows, emphasis(false, 44)).split('\n')).toEqual([
      'Path                   Language        Lines',
      '…path/to/some/file.ts  TypeScript  1,234,567',
      'b.c                    C                   1',
    ]);
    expect(alignedTable(columns, rows, emphasis(false, 20))).toContain('\n…ome/file.ts ');
    expect(alignedTable(columns, rows, { strong: plain, faint: plain })).toContain('a/long/path/to/some/file.ts');
  });
});
