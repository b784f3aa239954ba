/** Reports of every format come to the same lines, whichever machine wrote them and though git ignores them. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CoverageOptions,
  type CoverageResult,
  measureCoverage,
} from '../../../../workers/analysis/coverage/measure.js';
import { listFiles } from '../../../../workers/analysis/scan.js';
import { plantRepository, type Tree } from '../trees.js';

async function measureTree({ root }: Tree, options: Partial<CoverageOptions> = {}): Promise<CoverageResult> {
  const { signal } = new AbortController();
  const { files } = await listFiles({ root, signal });
  return measureCoverage({ root, files, signal, ...options });
}

function measure(files: Readonly<Record<string, string | Buffer>>): Promise<CoverageResult> {
  return measureTree(plantRepository(files));
}

/** `path covered/total` for each row of the table. */
function brief({ table }: CoverageResult): string[] {
  return table.map(({ path, covered, total }) => `${path} ${covered}/${total}`);
}

const LCOV = `TN:
SF:src/a.ts
DA:1,3
DA:2,0
DA:3,1,checksum
LF:3
LH:2
end_of_record
SF:src/b.ts
DA:1,0
end_of_record
`;
const statement = (line: number) => ({ start: { line, column: 0 }, end: { line: line + 1, column: 3 } });
const ISTANBUL = {
  '/ci/build/src/a.ts': {
    path: '/ci/build/src/a.ts',
    statementMap: { 0: statement(1), 1: statement(2), 2: statement(3), 3: statement(3) },
    s: { 0: 3, 1: 0, 2: 0, 3: 7 },
  },
  '/ci/build/src/b.ts': { path: '/ci/build/src/b.ts', statementMap: { 0: statement(1) }, s: { 0: 0 } },
};
const SUMMARY = {
  total: { lines: { total: 4, covered: 2, skipped: 0, pct: 50 } },
  '/ci/build/src/a.ts': { lines: { total: 3, covered: 2, skipped: 0, pct: 66.66 } },
  '/ci/build/src/b.ts': { lines: { total: 1, covered: 0, skipped: 0, pct: 0 } },
};
const COBERTURA = `<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5" timestamp="1705312345" version="7">
  <sources><source>/ci/build/src</source></sources>
  <packages><package name="."><classes>
    <class name="a" filename="a.ts"><methods><method name="f"><lines><line number="1" hits="3"/></lines></method></methods>
      <lines><line number="1" hits="3"/><line number="2" hits="0" branch="true" condition-coverage="50% (1/2)"/><line number="3" hits="1"/></lines></class>
    <class name="b" filename="b.ts"><lines><line number="1" hits="0"/></lines></class>
  </classes></package></packages>
</coverage>`;
const COVERAGE_PY = {
  meta: { version: '7.4.0', timestamp: '2024-01-15T10:00:00.5', branch_coverage: false },
  files: {
    'src/a.ts': { executed_lines: [1, 3], missing_lines: [2], excluded_lines: [9] },
    'src/b.ts': { executed_lines: [], missing_lines: [1], excluded_lines: [] },
  },
  totals: {},
};

/** The same four lines in every format that could have them. */
const SAME: readonly (readonly [format: string, path: string, report: unknown])[] = [
  ['lcov', 'coverage/lcov.info', LCOV],
  ['lcov', 'coverage/lcov.info', LCOV.replaceAll('\n', '\r\n')],
  ['lcov', 'coverage/lcov.info', LCOV.replaceAll('SF:', 'SF:C:\\agent\\work\\')],
  ['lcov', 'lcov.info', Buffer.from(`\uFEFF${LCOV}`, 'utf16le')],
  ['istanbul', 'coverage/coverage-final.json', ISTANBUL],
  ['istanbul-summary', 'coverage/coverage-summary.json', SUMMARY],
  ['cobertura', 'coverage.xml', COBERTURA],
  ['cobertura', 'build/reports/cobertura.xml', COBERTURA.replace('/ci/build/src', '/elsewhere/entirely/src')],
  ['cobertura', 'TestResults/0c1d/coverage.cobertura.xml', COBERTURA.replaceAll('filename="', 'filename="src/')],
  ['coverage.py', 'coverage.json', COVERAGE_PY],
];

describe('a report', () => {
  it.each(SAME)('of %s in %s comes to its lines', async (format, path, report) => {
    const text = typeof report === 'string' || Buffer.isBuffer(report) ? report : JSON.stringify(report);
    const result = await measure({
      '.gitignore': 'coverage\nbuild\nTestResults\n*.info\n',
      'src/a.ts': '1\n2\n3\n',
      'src/b.ts': '1\n',
      [path]: text,
    });
    expect(result.problems).toEqual([]);
    expect(brief(result)).toEqual(['src/a.ts 2/3', 'src/b.ts 0/1']);
    expect(result.totals).toEqual({ files: 2, lines: { covered: 2, total: 4 } });
    expect(result.reports).toMatchObject([{ path, format, files: 2, lines: { covered: 2, total: 4 }, unmapped: 0 }]);
    expect(result.leastCovered.map((file) => file.path)).toEqual(['src/a.ts', 'src/b.ts']);
  });

  it('of JaCoCo finds its sources by their package', async () => {
    const line = (nr: number, mi: number, ci: number) => `<line nr="${nr}" mi="${mi}" ci="${ci}" mb="0" cb="0"/>`;
    const report = `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="x"><sessioninfo id="h" start="1705312340000" dump="1705312345000"/><group name="g"><package name="org/acme">
<sourcefile name="A.java">${line(3, 0, 4)}${line(4, 2, 1)}${line(5, 3, 0)}<counter type="LINE" missed="1" covered="2"/></sourcefile>
<sourcefile name="Gone.java">${line(1, 1, 0)}</sourcefile></package></group></report>`;
    const result = await measure({
      '.gitignore': 'target/\n',
      'core/src/main/java/org/acme/A.java': 'class A {}\n',
      'other/src/main/java/org/other/A.java': 'class A {}\n',
      'core/target/site/jacoco/jacoco.xml': report,
    });
    expect(brief(result)).toEqual(['core/src/main/java/org/acme/A.java 2/3']);
    expect(result.reports).toMatchObject([
      {
        format: 'jacoco',
        files: 2,
        lines: { covered: 2, total: 4 },
        unmapped: 1,
        unmappedExamples: ['org/acme/Gone.java'],
      },
    ]);
    expect(result.reports[0]).toMatchObject({ writtenMs: 1705312345000, writtenBy: 'report' });
  });

  it.each(['set', 'count', 'atomic'])('of Go in mode %s finds its sources by their module', async (mode) => {
    const result = await measure({
      'services/x/go.mod': 'module example.org/team/x\n',
      'services/x/pkg/a.go': 'package pkg\n',
      'services/y/pkg/a.go': 'package pkg\n',
      'services/x/cover.out': `mode: ${mode}
example.org/team/x/pkg/a.go:3.14,5.2 2 1
example.org/team/x/pkg/a.go:7.14,8.2 1 0
example.org/team/x/pkg/a.go:7.14,8.2 1 0
`,
    });
    expect(brief(result)).toEqual(['services/x/pkg/a.go 3/5']);
    expect(result.reports[0]?.statements).toEqual({ covered: 2, total: 3 });
  });

  it('with a name that other things go by too is passed over when it is none', async () => {
    const result = await measure({ 'coverage.txt': 'all is well\n', 'c.out': 'x', 'profile.out': '' });
    expect(result).toMatchObject({ reports: [], problems: [], tableTotal: 0 });
  });
});

describe('paths of another machine', () => {
  const lcov = (path: string) => `SF:${path}\nDA:1,1\nend_of_record\n`;
  const MAPPINGS: readonly (readonly [stated: string, mapped: string | undefined, report?: string])[] = [
    ['src/index.ts', 'packages/a/src/index.ts', 'packages/a/coverage/lcov.info'],
    ['./src/index.ts', 'packages/b/src/index.ts', 'packages/b/coverage/lcov.info'],
    ['/home/ci/w/packages/b/src/index.ts', 'packages/b/src/index.ts'],
    ['/app/src/index.ts', 'packages/a/src/index.ts', 'packages/a/coverage/lcov.info'],
    ['/app/src/index.ts', undefined],
    ['file:///w/packages/a/src/index.ts', 'packages/a/src/index.ts'],
    ['/usr/lib/other/only.ts', undefined],
    ['../../../etc/passwd', undefined],
  ];

  it.each(MAPPINGS.map(([stated, mapped, report]) => ({ stated, mapped, report: report ?? 'coverage/lcov.info' })))(
    '$stated is $mapped ($report)',
    async ({ stated, mapped, report }) => {
      const result = await measure({
        'packages/a/src/index.ts': '1\n',
        'packages/b/src/index.ts': '1\n',
        'lib/only.ts': '1\n',
        [report]: lcov(stated),
      });
      expect(result.table.map(({ path }) => path)).toEqual(mapped === undefined ? [] : [mapped]);
      expect(result.reports[0]?.unmapped).toBe(mapped === undefined ? 1 : 0);
    },
  );

  it('below the root itself are taken as they are', async () => {
    const tree = plantRepository({ 'src/a.ts': '1\n', 'b/src/a.ts': '1\n' });
    tree.write('coverage/lcov.info', lcov(`${tree.root}/src/a.ts`));
    expect(brief(await measureTree(tree))).toEqual(['src/a.ts 1/1']);
  });
});

describe('several reports', () => {
  const lcov = (...hits: readonly number[]) =>
    `SF:src/a.ts\n${hits.map((count, at) => `DA:${at + 1},${count}`).join('\n')}\nend_of_record\n`;

  it('of one format are merged by union, and say so', async () => {
    const result = await measure({
      'src/a.ts': '1\n',
      'coverage/unit/lcov.info': lcov(1, 0, 0, 0),
      'coverage/e2e/lcov.info': lcov(0, 0, 5),
    });
    expect(result.table).toEqual([{ path: 'src/a.ts', format: 'lcov', covered: 2, total: 4, reports: 2 }]);
    expect(result.formats).toEqual([
      { format: 'lcov', reports: 2, files: 1, lines: { covered: 2, total: 4 }, merged: 1 },
    ]);
    expect(result.reportsTotal).toBe(2);
  });

  it('of several formats are told apart, and united in the totals only', async () => {
    const result = await measure({
      'src/a.ts': '1\n',
      'src/b.ts': '1\n',
      'coverage/lcov.info': lcov(1, 0, 0),
      'coverage.xml': COBERTURA,
      'coverage/coverage-summary.json': JSON.stringify({
        'src/a.ts': { lines: { total: 9, covered: 9 } },
        total: SUMMARY.total,
      }),
    });
    expect(result.formats.map(({ format, lines }) => [format, lines])).toEqual([
      ['lcov', { covered: 1, total: 3 }],
      ['cobertura', { covered: 2, total: 4 }],
      ['istanbul-summary', { covered: 9, total: 9 }],
    ]);
    expect(result.totals).toEqual({ files: 2, lines: { covered: 2, total: 4 } });
  });
});

describe('the age of a report', () => {
  const HOUR = 3_600_000;

  it('is its own time where it states one, else that of its file, against the sources it covers', async () => {
    const tree = plantRepository({ 'src/a.ts': '1\n', 'src/b.ts': '1\n', 'src/new.ts': '1\n', 'lcov.info': LCOV });
    const written = Math.floor(Date.now() / 1000) * 1000 - 10 * HOUR;
    const touch = (path: string, ms: number) => utimesSync(join(tree.root, path), ms / 1000, ms / 1000);
    touch('lcov.info', written);
    touch('src/a.ts', written - HOUR);
    touch('src/b.ts', written - 2 * HOUR);
    const fresh = await measureTree(tree);
    expect(fresh.reports[0]).toMatchObject({ writtenMs: written, writtenBy: 'file', stale: false, changedSince: 0 });
    expect(fresh.reports[0]).toMatchObject({ newestSource: 'src/a.ts', newestSourceMs: written - HOUR });

    touch('src/b.ts', written + HOUR);
    const stale = await measureTree(tree);
    expect(stale.reports[0]).toMatchObject({ newestSource: 'src/b.ts', stale: true, changedSince: 1 });
  });

  it('does not believe a time before computers or after now', async () => {
    const result = await measure({ 'coverage.xml': COBERTURA.replace('1705312345', '99999999999'), 'a.ts': '1\n' });
    expect(result.reports[0]).toMatchObject({ writtenBy: 'file' });
  });
});
