/** Anchoring measured on files of this repository: quotes find their line whatever line was claimed, edited ones find none. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAnchor } from '../../../workers/review/anchor.js';
import { sourceOf } from '../../../workers/review/source.js';
import { ownMs } from '../../support/own-time.js';

const FILES = [
  'workers/executor.ts',
  'src/config.ts',
  'src/core/input.ts',
  'workers/analysis/list-files.ts',
  'README.md',
];
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const sources = FILES.map((path) => sourceOf(path, 'TypeScript', read(path)));
/** The two halves of a quote that was edited: a word of it replaced by another. */
const edited = (text: string) => text.replace(/\p{L}{4,}/u, (word) => `${word.slice(0, -1)}¤`);

/** Every line with something to quote, and the two lines that begin there. */
const quotes = sources.flatMap((source) => {
  const anchor = createAnchor(source);
  return source.lines.flatMap(({ number, text }, index) => {
    if (!/\p{L}{4,}/u.test(text)) return [];
    const next = source.lines[index + 1]?.text ?? '';
    const several = next.trim() === '' ? [] : [{ anchor, line: number, quote: `${text}\n${next}` }];
    return [{ anchor, line: number, quote: text }, ...several];
  });
});

/** The share of quotes that are placed on their very line when the claim is off by so many lines. */
function placed(off: number, change: (quote: string) => string = (quote) => quote): number {
  const right = quotes.filter(({ anchor, line, quote }) => {
    const found = anchor({ line: Math.max(1, line + off), quote: change(quote) });
    return 'line' in found && found.line === line;
  });
  return right.length / quotes.length;
}

describe(`${quotes.length} quotes of real files`, () => {
  it('are enough to measure by', () => {
    expect(quotes.length).toBeGreaterThan(800);
  });

  it.each([
    [0, 1],
    [1, 0.99],
    [-1, 0.99],
    [3, 0.98],
    [-3, 0.98],
    [20, 0.95],
    [-20, 0.95],
  ])('whose claimed line is off by %i: at least %f stand on their own line', (off, share) => {
    expect(placed(off)).toBeGreaterThanOrEqual(share);
  });

  it.each([
    ['without indentation', (quote: string) => quote.replace(/^\s+/gm, '')],
    ['with other blanks', (quote: string) => quote.replace(/ +/g, '  ')],
    ['with their numbers', (quote: string) => quote.replace(/^/gm, '12 | ')],
    ['with line ends of Windows', (quote: string) => quote.replaceAll('\n', '\r\n')],
  ])('copied %s, off by 3: at least 0.97', (_how, change) => {
    expect(placed(3, change)).toBeGreaterThanOrEqual(0.97);
  });

  it('in which a word is changed are dropped, all but those that name another line', () => {
    const believed = quotes.filter(({ anchor, line, quote }) => 'line' in anchor({ line, quote: edited(quote) }));
    expect(believed.map(({ quote }) => edited(quote))).toEqual([]);
  });
});

describe('a quote', () => {
  const code = [
    'function a() {',
    '  return x;',
    '}',
    'function b() {',
    '  return x;',
    '}',
    '\tfoo( 1,',
    '\t  2 )',
  ].join('\n');
  const anchor = createAnchor(sourceOf('a.js', 'JavaScript', code));

  it.each([
    [1, 2],
    [2, 2],
    [3, 2],
    [4, 5],
    [99, 2],
    [undefined, 2],
  ])('that stands twice, claimed for line %s, is placed on the nearest: %i', (line, found) => {
    expect(anchor({ quote: 'return x;', ...(line !== undefined && { line }) })).toMatchObject({ line: found });
  });

  it('of several lines has a range, whose text is that of the file', () => {
    const quote = 'foo( 1, 2 )';
    expect(anchor({ line: 1, quote })).toEqual({
      line: 7,
      endLine: 8,
      quote: '\tfoo( 1,\n\t  2 )',
      match: 'whitespace',
    });
  });

  it.each([
    ['return y;', 'the quote is not in the file'],
    ['Return x;', 'the quote is not in the file'],
    ['return x;\n\nfunction b', 'the quote is not in the file'],
    ['}', 'the quote is too short to be placed'],
    [' \n ', 'the quote is not in the file'],
    [`${'['.repeat(20_000)}`, 'the quote is not in the file'],
  ])('%j is dropped: %s', (quote, dropped) => {
    expect(anchor({ line: 1, quote })).toEqual({ dropped });
  });

  it('that is slight is believed on the line it was claimed for', () => {
    expect(anchor({ line: 6, quote: '}' })).toMatchObject({ line: 6 });
  });

  it('of a diff must touch an added line', () => {
    const lines = [
      { number: 10, text: 'old();', added: false },
      { number: 11, text: 'fresh();', added: true },
    ];
    const inDiff = createAnchor({ path: 'a', language: 'C', lines });
    expect(inDiff({ line: 10, quote: 'old();' })).toEqual({ dropped: 'the quote is not on an added line' });
    expect(inDiff({ line: 1, quote: 'fresh();' })).toMatchObject({ line: 11 });
    expect(inDiff({ line: 10, quote: 'old();\nfresh();' })).toMatchObject({ line: 10, endLine: 11 });
  });

  it('is looked for in linear time', () => {
    const long = createAnchor(sourceOf('long', 'C', 'ab '.repeat(600_000)));
    const startedMs = ownMs();
    for (let count = 0; count < 50; count++) long({ line: 1, quote: `${'ab '.repeat(300)}c` });
    expect(ownMs() - startedMs).toBeLessThan(2_000);
  });
});
