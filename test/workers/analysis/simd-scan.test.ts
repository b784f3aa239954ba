/** The SIMD scanner against that of bytes, where blocks begin and end, and what becomes of a count without it. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createLexers } from '../../../workers/analysis/embedded.js';
import { languages, other } from '../../../workers/analysis/languages/index.js';
import { compileSyntax } from '../../../workers/analysis/lexer/compile.js';
import { countLines } from '../../../workers/analysis/lexer/scan-lines.js';
import { layOutTables } from '../../../workers/analysis/lexer/simd-tables.js';
import { createTextMemory, scannerOf } from '../../../workers/analysis/lexer/text-memory.js';
import { soup } from '../../fuzz/inputs.js';
import { createRandom } from '../../fuzz/random.js';
import { countByBoth } from './both-scanners.js';
import { figures } from './measure.js';

/** Longer than a block, so that every mark comes to lie across the border of two. */
const SHIFTS = 67;
const STALE = Buffer.from('*/ --> """ \' \n EOF\n');
const lexers = createLexers();

describe('the SIMD scanner', () => {
  it('counts every language as the scanner of bytes does, wherever marks lie in its blocks', () => {
    const counted = languages.map((language, index) => {
      const marks = soup(createRandom(31, index), language, 40);
      for (let shift = 0; shift < SHIFTS; shift += 1) {
        const filling = Buffer.alloc(shift, shift % 3 === 0 ? ' ' : 'x');
        const text = Buffer.concat([filling, marks.subarray(0, marks.length - shift), STALE]);
        countByBoth({ bytes: text, start: shift % 5, end: text.length - STALE.length }, language, lexers);
      }
      return language.name;
    });

    expect(counted).toHaveLength(languages.length);
  });

  it.each([
    ['newlines alone', '\n'],
    ['blank lines of every length', ' \t\f\v\r\n  \n\n   \n'],
    ['lines of one byte', 'x\n'],
    ['NUL bytes', '\0\n\0\0'],
    ['bytes outside ASCII', '\x80\xff\n\xe2\x80\xa8 // \xc3'],
    ['returns without newlines', '\r/*\r*/\r'],
    ['comments that a backslash continues', '// a\\\r\n b\\\n\n'],
    ['strings that a backslash continues', '"a\\\r\nb\\\nc\\\r"\n'],
    ['comments without an end', 'x /* a\n\n'],
    ['marks that share bytes', '/*/ *//**/*//*'],
  ])('agrees on %s at every length', (_what, piece) => {
    const language = languages.find(({ name }) => name === 'C++') ?? other;
    const text = Buffer.from(piece.repeat(200), 'latin1');
    const lengths = Array.from({ length: 200 }, (_, length) => length);
    const lines = lengths.map(
      (end) => countByBoth({ bytes: Buffer.from(text), start: 0, end }, language, lexers).lines,
    );

    expect(lines).toEqual([...lines].sort((a, b) => a - b));
  });

  it.each([
    ['a raw string whose letter stands before its quote', 'R"(\n"\n/*\n)"; // a\n', '4/0/0'],
    ['no raw string where the letter ends another one', '"R"(\n/*\n)"\n', '1/2/0'],
    ['no raw string where the letter is part of a comment', '/*R*/"R\n/*"\n)"*/\n', '1/2/0'],
  ])('finds %s, wherever that lies in a block', (_what, text, expected) => {
    const language = languages.find(({ name }) => name === 'C++') ?? other;
    const found = Array.from({ length: SHIFTS }, (_, shift) => {
      const bytes = Buffer.from(`${'x'.repeat(shift)}${text} `);
      return figures(countByBoth({ bytes, start: 0, end: bytes.length - 1 }, language, lexers));
    });

    expect([...new Set(found)]).toEqual([expected]);
  });

  it('agrees on scalars of YAML, whatever their marks, owners and ends', () => {
    const yaml = languages.find(({ syntax }) => syntax?.scalars) ?? other;
    const pieces = [
      '|',
      '>',
      ': ',
      '- ',
      '-',
      ' ',
      '\n',
      '\n  ',
      '#',
      '+',
      '2',
      '0',
      'a',
      'k: |\n',
      '- |2-\n',
      ' >\r\n',
      '"',
    ];
    const random = createRandom(23, 0);
    const texts = Array.from({ length: 3000 }, () =>
      Array.from({ length: random.below(30) }, () => random.pickOr(pieces, '')).join(''),
    );
    const lines = texts.map((text) => {
      const bytes = Buffer.from(`${text}| x\n`);
      return countByBoth({ bytes, start: 0, end: text.length }, yaml, lexers).lines;
    });

    expect(lines).toHaveLength(texts.length);
  });

  it('goes on reading where memory has grown', () => {
    const memory = createTextMemory();
    memory.room(10).write('x');
    const room = memory.room(5_000_001).fill('/* a\n*/ b\n\n', 0, 5_000_000);

    expect(scannerOf(room)).toBeDefined();
    expect(countLines(room, { start: 0, end: 5_000_000 }, lexers.of(other)).lines).toBe(1_363_636);
  });

  it('is told of no other memory', () => {
    const room = createTextMemory().room(10);

    expect(scannerOf(room)).toBeDefined();
    expect(scannerOf(room.subarray(1))).toBeUndefined();
    expect(scannerOf(Buffer.alloc(10))).toBeUndefined();
  });

  it('refuses a mark that begins with a newline, which neither scanner can read', () => {
    const lexer = compileSyntax({ line: ['\n#'] }, () => undefined);

    expect(() => layOutTables(lexer, 0)).toThrow(RangeError);
  });

  it('is done without where WebAssembly is switched off', () => {
    const analysis = new URL('../../../dist/workers/analysis/', import.meta.url);
    const program = `
      import { createChunkCounter } from '${new URL('count-chunk.js', analysis)}';
      const files = ['scan-lines.js', 'compile.js'];
      const { counts } = createChunkCounter(1e6).count({ root: process.argv[1], files, handwritten: [] });
      console.log(JSON.stringify([typeof WebAssembly, counts.totals]));`;
    const [withIt, without] = [[], ['--jitless']].map((options) => {
      const words = [...options, '--input-type=module', '--eval', program, new URL('lexer', analysis).pathname];
      return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
    });

    expect(withIt[0]).toBe('object');
    expect(without).toEqual(['undefined', withIt[1]]);
    expect(withIt[1].files).toBe(2);
  });
});
