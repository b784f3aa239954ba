/** No content of a tree makes the coverage metric fail, hang or look where it should not. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureCoverage } from '../../../../workers/analysis/coverage/measure.js';
import { ownMs } from '../../../support/own-time.js';
import { plantTree } from '../trees.js';

const { signal } = new AbortController();

async function measure(files: Readonly<Record<string, string | Buffer>>) {
  return measureCoverage({ root: plantTree(files).root, files: ['src/a.ts'], signal });
}

const LCOV = 'SF:src/a.ts\nDA:1,1\nend_of_record\n';

const FAULTS: readonly (readonly [path: string, text: string | Buffer, line: number | undefined, message: RegExp])[] = [
  ['lcov.info', 'what is this\n', 1, /not an lcov tracefile/],
  ['coverage.xml', '<coverage line-rate="1">\n<packages>\n</coverage>', 3, /not XML/],
  ['coverage.xml', '<coverage generated="1"><project/></coverage>', 1, /Clover/],
  ['coverage.xml', '<html></html>', 1, /found an element 'html'/],
  ['coverage.xml', '', undefined, /not XML/],
  ['coverage.json', '{"a":\n [}', 2, /not JSON/],
  ['coverage.json', '[1]', undefined, /found another shape/],
  ['cover.out', 'mode: set\nnonsense\n', 2, /not a Go cover profile/],
  ['lcov.info', Buffer.from('SF:a\0'), undefined, /NUL bytes/],
  ['.coverage', Buffer.from('SQLite format 3\0'), undefined, /Run `coverage json`/],
  ['target/jacoco.exec', Buffer.from([1, 0xc0, 0xc0]), undefined, /mvn jacoco:report/],
];

describe('a report with a fault', () => {
  it.each(FAULTS)('%s is named with its place: %j', async (path, text, line, message) => {
    const result = await measure({ [path]: text, 'reports/lcov.info': LCOV });
    expect(result.problems).toHaveLength(1);
    expect(result.problems[0]).toMatchObject({ path, ...(line === undefined ? {} : { line }) });
    expect(result.problems[0]?.message).toMatch(message);
    expect(result.reportsTotal).toBe(1);
  });

  it('keeps what is no data of coverage.py apart from it', async () => {
    expect((await measure({ '.coveragerc': '[run]\n' })).problems).toEqual([]);
  });
});

describe('a report made to do harm', () => {
  it('has its entities neither expanded nor fetched', async () => {
    const bomb = `<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n<coverage line-rate="1"><sources><source>&f;&b;</source></sources></coverage>`;
    const { problems, reports } = await measure({ 'coverage.xml': bomb });
    expect(problems).toMatchObject([{ path: 'coverage.xml', line: 2, message: 'This is not XML: undefined entity.' }]);
    expect(reports).toEqual([]);
  });

  it('does not grow by the numbers it writes', async () => {
    const result = await measure({
      'lcov.info': 'SF:src/a.ts\nDA:999999999999,1\nDA:1,99999999999999999999\nDA:2,-1\nDA:0,1\nend_of_record\n',
      'cover.out': 'mode: set\nsrc/a.ts:1.1,999999999.1 1 1\n',
      'coverage.xml':
        '<coverage line-rate="1"><class filename="src/a.ts"><line number="NaN" hits="x"/></class></coverage>',
    });
    expect(result.problems).toEqual([]);
    expect(result.table.map(({ format, covered, total }) => [format, covered, total])).toEqual([
      ['cobertura', 0, 0],
      ['go', 100_001, 100_001],
      ['lcov', 1, 2],
    ]);
  });

  it('may name its files as keys of every object are named', async () => {
    const files = { constructor: { executed_lines: [1], missing_lines: [] } };
    const json = JSON.stringify({ meta: {}, files }).replace('"constructor"', '"__proto__"');
    const result = await measure({ 'coverage.json': json });
    expect(result.reports).toMatchObject([
      { files: 1, lines: { covered: 1, total: 1 }, unmappedExamples: ['__proto__'] },
    ]);
  });

  it('is not read when it is larger than its limit', async () => {
    const { problems } = await measure({ 'coverage-final.json': Buffer.alloc(50 * 1024 * 1024, ' ') });
    expect(problems).toMatchObject([
      { path: 'coverage-final.json', message: expect.stringContaining('larger than the limit') },
    ]);
  });

  it('of 50 MB in a streamed format is read within the memory of its thread', async () => {
    const record = `SF:src/a.ts\n${Array.from({ length: 1000 }, (_, at) => `DA:${at + 1},1\n`).join('')}end_of_record\n`;
    const result = await measure({ 'lcov.info': Buffer.alloc(50 * 1024 * 1024, record) });
    expect(result.reportsTotal + result.problemsTotal).toBe(1);
    expect(result.table[0]?.total ?? 1000).toBeLessThanOrEqual(1000);
  });
});

describe('a report that fits the limit but not the memory', () => {
  it('is named, and the others are read all the same', { timeout: 120_000 }, async () => {
    const lines = Array.from({ length: 95_000 }, (_, at) => `DA:${at + 1},1\n`).join('');
    const records = Array.from({ length: 60 }, (_, at) => `SF:f${at}\n${lines}end_of_record\n`);
    const result = await measure({ 'lcov.info': records.join(''), 'reports/lcov.info': LCOV });
    expect(result.problems).toMatchObject([{ path: 'lcov.info', message: expect.stringContaining('more memory') }]);
    expect(result.reports.map(({ path }) => path)).toEqual(['reports/lcov.info']);
  });
});

describe('the search for reports', () => {
  it('opens no pipe, follows no link and enters no foreign folder', async () => {
    const { root, write } = plantTree({ 'node_modules/x/coverage/lcov.info': LCOV, 'src/a.ts': '1\n' });
    const outside = plantTree({ 'lcov.info': LCOV });
    mkdirSync(join(root, 'coverage'));
    execFileSync('mkfifo', [join(root, 'coverage/lcov.info')]);
    symlinkSync(outside.root, join(root, 'build'));
    symlinkSync(join(outside.root, 'lcov.info'), join(root, 'lcov.info'));
    write('src/coverage/deep/er/lcov.info', LCOV);
    const result = await measureCoverage({ root, files: ['src/a.ts'], signal });
    expect(result.reports.map(({ path }) => path)).toEqual(['src/coverage/deep/er/lcov.info']);
    expect(result).toMatchObject({ problems: [], searchCutOff: false });
  });

  it('ends at a depth and a number of folders', async () => {
    const { root, write } = plantTree();
    write(`build/${'d/'.repeat(10)}lcov.info`, LCOV);
    const result = await measureCoverage({ root, files: [], signal });
    expect(result.reports).toEqual([]);
  });
});

describe('an abort', () => {
  it('ends a measurement within a second, in the middle of a report too', async () => {
    const record = `${Array.from({ length: 200_000 }, (_, at) => `DA:${at + 1},1`).join('\n')}\n`;
    const reports = Array.from(
      { length: 30 },
      (_, at) => [`coverage/${at}/lcov.info`, `SF:f${at}\n${record}`] as const,
    );
    const { root } = plantTree(Object.fromEntries(reports));
    const controller = new AbortController();
    let aborted = 0;
    const onProgress = () => {
      if (aborted > 0) return;
      aborted = ownMs();
      controller.abort(new Error('enough'));
    };
    await expect(measureCoverage({ root, files: [], signal: controller.signal, onProgress })).rejects.toThrow('enough');
    expect(ownMs() - aborted).toBeLessThan(1000);
  });
});
