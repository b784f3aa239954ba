import { describe, expect, it } from 'vitest';
import { csvCell, csvReport } from '../../src/report/csv.js';
import { formatOf, KNOWN_EXTENSIONS } from '../../src/report/formats.js';
import { jsonReport } from '../../src/report/json.js';
import { codeSpan, markdownReport } from '../../src/report/markdown.js';
import { ANALYSIS, FILES, HOSTILE, reportOf } from './reports.js';

const byFile = (wishes = {}) => reportOf(ANALYSIS, { byFile: true, files: FILES, ...wishes });

describe('the order of rows', () => {
  it.each([
    ['code', ['TypeScript', 'C++', 'JavaScript']],
    ['name', ['C++', 'JavaScript', 'TypeScript']],
    ['complexity', ['TypeScript', 'C++', 'JavaScript']],
    ['files', ['TypeScript', 'C++', 'JavaScript']],
  ] as const)('by %s is %s', (sort, order) => {
    expect(reportOf(ANALYSIS, { sort }).languages.map(({ language }) => language)).toEqual(order);
  });

  it('of equal files goes by path', () => {
    expect(byFile().files?.map(({ path }) => path)).toEqual(['src/big.ts', 'native/x.cc', HOSTILE, 'src/a b.ts']);
  });
});

describe('a CSV report', () => {
  it('has languages, each with its complexity where it is known, and ends lines as RFC 4180 says', () => {
    expect(csvReport(reportOf(ANALYSIS)).split('\r\n')).toEqual([
      'language,files,lines,code,comments,blanks,bytes,complexity',
      'TypeScript,2,1030,1000,20,10,30000,150',
      'C++,1,230,200,20,10,6000,50',
      'JavaScript,1,130,100,20,10,3000,',
      '',
    ]);
  });

  it('has files when asked by file, no more than asked for', () => {
    const lines = csvReport(byFile({ top: 2 })).split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe('src/big.ts,TypeScript,930,900,20,10,27000,120');
  });

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\uff1d1', `"'\uff1d1"`],
    ['a=1', 'a=1'],
  ])('writes %j as %s', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

describe('a Markdown report', () => {
  const lines = markdownReport(byFile()).split('\n');

  it('keeps a table row on one line with as many cells as its head, whatever a file is called', () => {
    const row = lines.find((line) => line.includes('onerror') && line.includes('JavaScript'));
    expect(row?.split(/(?<!\\)\|/)).toHaveLength(
      '| Path | Language | Lines | Code | Comments | Blanks | Bytes | Complexity |'.split('|').length,
    );
    expect(row).toContain('``<img src=x');
    expect(row).not.toContain('\u2028');
  });

  it('tells duplicates, hotspots and functions, and what is missing from them', () => {
    const text = lines.join('\n');
    expect(text).toContain('## Hotspots\n');
    expect(text).toContain('| `src/big.ts` | 4,800 | 40 | 2 | 120 | 2026-01-02 |');
    expect(text).toContain('| `src/big.ts:5-16, src/a b.ts:1-12, …` | TypeScript | 12 | 90 | 3 |');
    expect(text).toContain('Incomplete: one file was too large');
    expect(text).toContain('Not measured: git was not found');
    expect(text).toContain('| `untangle` | `src/big.ts:10` | 40 | 25 | 5 |');
  });

  it('cuts the table that rows were asked of, and no other', () => {
    const rows = (text: string, pattern: RegExp) => text.split('\n').filter((line) => pattern.test(line)).length;
    const files = markdownReport(byFile({ top: 1 }));
    expect([
      rows(files, /^\| (TypeScript|C\+\+|JavaScript) /),
      rows(files.split('## Files')[1] ?? '', /^\| `/),
    ]).toEqual([3, 1]);
    const languages = markdownReport(reportOf(ANALYSIS, { top: 1, files: FILES }));
    expect([rows(languages, /^\| (TypeScript|C\+\+|JavaScript) /), languages.includes('## Files')]).toEqual([1, false]);
  });

  it('cuts long tables and says so', () => {
    const files = Array.from({ length: 1_200 }, (_, at) => ({ ...(FILES[0] ?? never()), path: `f${at}.ts` }));
    const text = markdownReport(byFile({ files }));
    expect(text.split('\n').filter((line) => line.startsWith('| `f'))).toHaveLength(1_000);
    expect(text).toContain('Here are the first 1,000 rows; JSON and CSV reports have 1,200.');
  });

  it.each([
    ['plain', '`plain`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a\nb', '`a\u{fffd}b`'],
  ])('writes the name %j as the span %s', (name, span) => {
    expect(codeSpan(name)).toBe(span);
  });
});

describe('a JSON report', () => {
  it('is the structured result, by file with the rows of files', () => {
    expect(JSON.parse(jsonReport(reportOf(ANALYSIS)))).toEqual({ root: ANALYSIS.root });
    const { files } = JSON.parse(jsonReport(byFile({ top: 1 })));
    expect(files).toEqual([FILES[0]]);
  });

  it('says how many files there are no rows of', () => {
    expect(JSON.parse(jsonReport(byFile({ filesLeftOut: 7 }))).files_left_out).toBe(7);
  });
});

describe('the format of a report', () => {
  it('goes by the extension of the file, in any case', () => {
    for (const extension of KNOWN_EXTENSIONS.split(', ')) expect(formatOf(`a${extension.toUpperCase()}`)).toBeDefined();
  });

  it.each(['report', 'report.pdf', 'md', '.md', 'x.constructor'])('of %s is not known', (file) => {
    expect(formatOf(file)).toBeUndefined();
  });
});

function never(): never {
  throw new Error('there are files');
}
