/** Laws of counting that hold for every language, on programs written at random and on the files of the ground truth. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkCounter } from '../../../workers/analysis/count-chunk.js';
import { decodeText } from '../../../workers/analysis/decode.js';
import { detectLanguage } from '../../../workers/analysis/detect.js';
import { createLexers } from '../../../workers/analysis/embedded.js';
import { languages } from '../../../workers/analysis/languages/index.js';
import type { Language } from '../../../workers/analysis/languages/language.js';
import { countLines, type LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { type ChunkCounts, countFiles, mergeCounts, noCounts } from '../../../workers/analysis/scan.js';
import { readSamples } from '../../fuzz/corpus.js';
import { soup } from '../../fuzz/inputs.js';
import { createRandom } from '../../fuzz/random.js';
import { countByBoth } from './both-scanners.js';
import { figures } from './measure.js';
import { joined, programsOf } from './programs.js';
import { plantTree } from './trees.js';

/** Another seed tries other programs: `PROPERTY_SEED=7 npx vitest run …`. A failure names its own, with the path to it. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20261130);
process.stderr.write(`properties of counting: seed ${SEED} (set PROPERTY_SEED for another)\n`);
const RUNS = { seed: SEED, numRuns: 30 };

const lexers = createLexers();

/** Counts a text of a language as a file that holds it is counted; one character is one byte. */
function count(language: Language, text: string): LineCounts {
  const bytes = Buffer.from(`${text} `, 'latin1');
  const range = decodeText(bytes, bytes.length - 1);
  if (range === undefined) throw new Error('the text is binary');
  return countByBoth(range, language, lexers);
}

interface RealFile {
  readonly name: string;
  readonly language: Language;
  readonly text: string;
}

/** Real files without byte order marks, their lines ended by newlines. */
const files: readonly RealFile[] = readSamples()
  .filter(({ bytes }) => bytes.length > 0 && !bytes.includes(0))
  .map(({ name, bytes }) => ({ name, language: detectLanguage(name, bytes), text: withNewlines(bytes) }));

function withNewlines(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll(/\r\n?/g, '\n');
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The same text in the other newline styles, and without its last newline where that ends a line of text. */
function styles(text: string): readonly string[] {
  const endsText = text.length > 1 && text.endsWith('\n') && !text.endsWith('\n\n');
  return [text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r'), endsText ? text.slice(0, -1) : text];
}

/** Whether nothing is open at the end of a text: an empty line behind it is blank, and a word behind that is code. */
function endsOutside(language: Language, text: string): boolean {
  const [before, after] = [count(language, text), count(language, `${text}\nx y\n`)];
  return after.blanks === before.blanks + 1 && after.code === before.code + 1;
}

function added(a: LineCounts, b: LineCounts): string {
  return figures({ code: a.code + b.code, comments: a.comments + b.comments, blanks: a.blanks + b.blanks });
}

/** Which styles of a text count as something else than what is expected; no call of `expect` for each, which takes longer than the count. */
function differing(language: Language, text: string, expected: string): string[] {
  return [text, ...styles(text)]
    .map((styled) => ({ styled, counted: figures(count(language, styled)) }))
    .filter(({ counted }) => counted !== expected)
    .map(({ styled, counted }) => `${language.name}: ${JSON.stringify(styled)} is ${counted}, not ${expected}`);
}

describe('counting', () => {
  it(`counts a program of any of ${languages.length} languages as its pieces together, in every newline style`, () => {
    for (const language of languages) {
      const holds = fc.property(programsOf(language), (pieces) => {
        const { text, ...expected } = joined(pieces);
        const faults = differing(language, Buffer.from(text).toString('latin1'), figures(expected));
        if (faults.length > 0) throw new Error(faults.join('\n'));
      });
      fc.assert(holds, RUNS);
    }
  });

  it('counts marks in any order alike in every newline style, for every language', () => {
    const faults = languages.flatMap((language, index) =>
      Array.from({ length: 12 }, (_, round) => {
        const random = createRandom(SEED, 12 * index + round);
        const text = soup(random, language, 1 + random.below(12))
          .toString('latin1')
          .replaceAll(/\r\n?|\0/g, '\n');
        return differing(language, text, figures(count(language, text)));
      }).flat(),
    );

    expect(faults).toEqual([]);
  });

  it('counts real files alike in every newline style', () => {
    expect(files.flatMap(({ language, text }) => differing(language, text, figures(count(language, text))))).toEqual(
      [],
    );
  });

  it('counts two real files of a language in one as the two, where the first leaves nothing open', () => {
    const faults: string[] = [];
    let pairs = 0;
    for (const first of files.filter(({ language, text }) => endsOutside(language, text))) {
      for (const second of files.filter(({ language }) => language === first.language)) {
        const whole = figures(count(first.language, first.text + second.text));
        const apart = added(count(first.language, first.text), count(first.language, second.text));
        pairs += 1;
        if (whole !== apart) faults.push(`${first.name} and ${second.name}: ${whole}, not ${apart}`);
      }
    }

    expect(faults).toEqual([]);
    expect(pairs).toBeGreaterThanOrEqual(files.length - 1);
  });

  it('counts the same wherever a text lies in its buffer, whatever stands around it', () => {
    const faults = files.flatMap(({ name, language, text }) =>
      [1, 2, 7].map((offset) => {
        const bytes = Buffer.from(`${'*/"\n'.repeat(2).slice(0, offset)}${text}*/ """ --> \n`, 'latin1');
        const counted = countLines(bytes, { start: offset, end: offset + text.length }, lexers.of(language));
        return JSON.stringify(counted) === JSON.stringify(count(language, text)) ? '' : `${name} at ${offset}`;
      }),
    );

    expect(faults.filter(Boolean)).toEqual([]);
  });
});

describe('counting a tree', () => {
  const never = new AbortController().signal;

  /** The ground truth as one tree, and its files in the order of their names. */
  function plantSamples(): { root: string; paths: string[] } {
    const tree = plantTree();
    const paths = readSamples().map(({ name, bytes }, i) => {
      const path = `d${i % 7}/${i}/${name}`;
      mkdirSync(join(tree.root, `d${i % 7}/${i}`), { recursive: true });
      writeFileSync(join(tree.root, path), bytes);
      return path;
    });
    return { root: tree.root, paths: paths.sort() };
  }

  it('yields the same in any order, in parts of any size', async () => {
    const { root, paths } = plantSamples();
    const whole = await countFiles(root, paths, { signal: never });
    const counter = createChunkCounter(10 << 20);
    const parts = fc.tuple(
      fc.shuffledSubarray(paths, { minLength: paths.length }),
      fc.array(fc.integer({ min: 1, max: paths.length }), { minLength: 1, maxLength: 40 }),
    );

    expect(whole.totals.files).toBeGreaterThan(100);
    fc.assert(
      fc.property(parts, ([order, sizes]) => {
        const counts = cut(order, sizes).map((part) => counter.count({ root, files: part, handwritten: [] }).counts);
        expect(counts.reduce<ChunkCounts>(mergeCounts, noCounts())).toEqual(whole);
      }),
      { seed: SEED, numRuns: 6 },
    );
  });

  it('yields the same on any number of threads', async () => {
    const { root, paths } = plantSamples();
    const whole = await countFiles(root, paths, { signal: never, threads: 1 });

    for (const threads of [2, 5]) {
      expect(await countFiles(root, [...paths].reverse(), { signal: never, threads })).toEqual(whole);
    }
  });
});

/** Cuts a list into parts of the given sizes, over and over. */
function cut<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0, i = 0; from < list.length; i += 1) {
    const size = sizes[i % sizes.length] ?? list.length;
    parts.push(list.slice(from, from + size));
    from += size;
  }
  return parts;
}
