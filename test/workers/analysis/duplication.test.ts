/** Clones: which code counts as the same, which does not, and that every figure holds whatever the machine does. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOfOrder } from '../../../workers/analysis/duplication/catalogue.js';
import { MOST_FINGERPRINTS, measureDuplication } from '../../../workers/analysis/duplication/measure-duplication.js';
import { bytesOfSieve } from '../../../workers/analysis/duplication/sieve.js';
import { ownMs } from '../../support/own-time.js';
import { findClones, placesOf, statements, text } from './clone-trees.js';
import { plantTree } from './trees.js';

const block = statements('block');
const SIZES = { minTokens: 40, minLines: 5 };

describe('a clone', () => {
  it('is found across files, with its places and its share of the lines', async () => {
    const tree = plantTree({
      'a.c': text('int a()', ...block),
      'b.c': text(...statements('other'), 'int b[]', ...block, 'int last;'),
    });
    const result = await findClones(tree, SIZES);
    expect(placesOf(result)).toEqual([['a.c:2-21', 'b.c:22-41']]);
    expect(result.clones[0]).toMatchObject({ language: 'C', lines: 20, copies: 2, tokens: 80 });
    expect(result.totals).toMatchObject({ files: 2, codeLines: 63, duplicatedLines: 40, percentage: 63.49 });
    expect(result.byLanguage).toEqual([{ language: 'C', ...result.totals }]);
    expect(result).toMatchObject({ complete: true, clonesFound: 1, skipped: [] });
  });

  it('is found within a file', async () => {
    const tree = plantTree({ 'a.c': text(...block, 'int between', ...block) });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([['a.c:1-20', 'a.c:22-41']]);
  });

  it('is the same whatever its comments, white space and line ends', async () => {
    const commented = block.map((line) => `\t/* why */ ${line.replace(' = ', '=')} // so`);
    const tree = plantTree({
      'a.c': text(...block),
      'b.c': `${commented.join('\r\n\r\n')}\r\n`,
      'c.c': text(...block.map((line) => line.replace(' = ', '\n  =\n'))),
    });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([['a.c:1-20', 'b.c:1-39', 'c.c:1-60']]);
  });

  it('tells names apart unless asked not to', async () => {
    const renamed = block.map((line) => line.replaceAll('block', 'renamed'));
    const tree = plantTree({
      'a.c': text(...block.map((line, i) => (i % 3 ? line : `if (${i}) { ${line} }`))),
      'b.c': text(...renamed.map((line, i) => (i % 3 ? line : `if (${i + 1}) { ${line} }`))),
      'c.c': text(...renamed.map((line, i) => (i % 3 ? line : `do { ${line} }`))),
    });
    expect((await findClones(tree, SIZES)).clones).toEqual([]);
    const byNames = await findClones(tree, { ...SIZES, normalize: 'names' });
    expect(placesOf(byNames)[0]).toEqual(['a.c:1-20', 'b.c:1-20']);
  });

  it('lies within one language; headers are in that of the code they are for', async () => {
    const tree = plantTree({ 'a.c': text(...block), 'b.h': text(...block), 'c.py': text(...block) });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([['a.c:1-20', 'b.h:1-20']]);
  });

  it('is told once, at its greatest extent, however many copies there are', async () => {
    const files = Array.from({ length: 30 }, (_, i) => [`f${10 + i}.c`, text(`int only_${i}`, ...block)]);
    const { clones, clonesFound, totals } = await findClones(plantTree(Object.fromEntries(files)), SIZES);
    expect(clonesFound).toBe(1);
    expect(clones[0]).toMatchObject({ copies: 30, lines: 20 });
    expect(clones[0]?.places).toHaveLength(20);
    expect(totals.duplicatedLines).toBe(600);
  });

  it('is told beside the shorter one that it shares with further files', async () => {
    const tree = plantTree({
      'a.c': text(...block.slice(0, 12)),
      'b.c': text(...block),
      'c.c': text(...block),
    });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([
      ['b.c:1-20', 'c.c:1-20'],
      ['a.c:1-12', 'b.c:1-12'],
    ]);
  });

  it('that repeats itself never overlaps its own copy', async () => {
    const tree = plantTree({ 'a.c': text(...block, ...block, ...block) });
    for (const { places } of (await findClones(tree, SIZES)).clones) {
      const [first, second] = places;
      expect(first?.endLine).toBeLessThan(second?.startLine ?? 0);
    }
    expect((await findClones(tree, SIZES)).totals.percentage).toBe(100);
  });

  it.each([
    ['tokens', { minTokens: 81, minLines: 1 }],
    ['lines', { minTokens: 40, minLines: 21 }],
  ])('has a least number of %s', async (_name, sizes) => {
    const tree = plantTree({ 'a.c': text('int a', ...block), 'b.c': text('long b', ...block) });
    const least = { minTokens: Math.min(sizes.minTokens, 80), minLines: Math.min(sizes.minLines, 20) };
    expect((await findClones(tree, least)).clones).toHaveLength(1);
    expect((await findClones(tree, sizes)).clones).toEqual([]);
  });

  it('crosses the bounds of the pieces that threads take', async () => {
    const filler = Array.from({ length: 300 }, (_, i) => [`m${1000 + i}.c`, text(...statements(`only${i}_`, 3))]);
    const tree = plantTree({ 'a.c': text(...block), ...Object.fromEntries(filler), 'z.c': text(...block) });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([['a.c:1-20', 'z.c:1-20']]);
  });

  it('counts each line of a long literal', async () => {
    const query = Array.from({ length: 50 }, (_, i) => `  select ${i} from some_table`);
    const script = (name: string) => text(`name = "${name}"`, 'run("""', ...query, '""")');
    const tree = plantTree({ 'a.py': script('a'), 'b.py': script('b') });
    expect(placesOf(await findClones(tree, SIZES))).toEqual([['a.py:2-53', 'b.py:2-53']]);
  });
});

describe('no clone', () => {
  it('is a comment, a licence or a documentation', async () => {
    const licence = statements('You may copy this file under terms', 40).map((line) => ` * ${line}`);
    const files = Array.from({ length: 1000 }, (_, i) => [
      i % 2 ? `d/f${i}.py` : `d/f${i}.c`,
      i % 2
        ? text('"""', ...licence, '"""', ...licence.map((line) => `#${line}`), `x${i} = ${i}`)
        : text('/*', ...licence, ' */', `int only_${i};`),
    ]);
    const { clones, totals } = await findClones(plantTree(Object.fromEntries(files)), SIZES);
    expect(clones).toEqual([]);
    expect(totals).toMatchObject({ files: 1000, codeLines: 1000, duplicatedLines: 0, percentage: 0 });
  });

  it('is a table of equal values', async () => {
    const zeros = (name: string) =>
      text(`f(${name},`, ...Array.from({ length: 400 }, () => '0, 0, 0, 0,'), `${name});`);
    const tree = plantTree({ 'a.c': zeros('a'), 'b.c': zeros('b') });
    expect((await findClones(tree, SIZES)).clones).toEqual([]);
  });

  it('is a long line, nor prose', async () => {
    const line = block.join(' ');
    const tree = plantTree({ 'a.c': text(line), 'b.c': text(line), 'a.txt': text(...block), 'b.txt': text(...block) });
    const { clones, totals } = await findClones(tree, SIZES);
    expect(clones).toEqual([]);
    expect(totals.files).toBe(2);
  });
});

describe('a measurement of duplication', () => {
  const forest = () => {
    const files = Array.from({ length: 400 }, (_, i) => {
      const own = statements(`own${i}_`, 5);
      return [`d${i % 7}/f${i}.c`, text(...own, ...statements(`shared${i % 13}_`, 10 + (i % 5)), ...own.slice(0, 2))];
    });
    return plantTree(Object.fromEntries(files));
  };

  it('does not depend on the number of threads', async () => {
    const tree = forest();
    const [first, ...others] = await Promise.all([1, 2, 5].map((threads) => findClones(tree, { ...SIZES, threads })));
    expect(first?.clonesFound).toBeGreaterThan(13);
    for (const other of others) expect(other).toEqual(first);
  });

  it('takes no more memory for its sieve and its catalogue from some size of the tree on', () => {
    const sieveMib = [0, 1_000, 80_000, 8_000_000].map((files) => bytesOfSieve(files) / 2 ** 20);
    expect(sieveMib).toEqual([0.125, 1, 64, 64]);
    expect(bytesOfOrder(MOST_FINGERPRINTS)).toBeLessThanOrEqual(bytesOfSieve(80_000));
  });

  it('says so when it could only look at a sample, and still names true clones', async () => {
    const tree = forest();
    const all = await findClones(tree, SIZES);
    const sampled = await findClones(tree, { ...SIZES, mostFingerprints: 500 });
    expect(sampled.complete).toBe(false);
    expect(sampled.bounds.sampledOneIn).toBeGreaterThan(1);
    expect(sampled.totals.duplicatedLines).toBeLessThanOrEqual(all.totals.duplicatedLines);
    expect(sampled.clones.length).toBeGreaterThan(0);
    expect(await findClones(tree, { ...SIZES, mostFingerprints: 500, threads: 3 })).toEqual(sampled);
  });

  it('says how many pairs found no room', async () => {
    const { bounds, complete } = await findClones(forest(), { ...SIZES, mostPairs: 10 });
    expect(bounds.lostPairs).toBeGreaterThan(0);
    expect(complete).toBe(false);
  });

  it('passes over what is no source, by reason, and what has gone since it was listed', async () => {
    const tree = plantTree({
      'a.c': text(...block),
      'b.c': text(...block),
      'c.c': Buffer.from([0, 1, 2]),
      'd.c': text('// Code generated by x. DO NOT EDIT.', ...block),
      'e.c': text(...block),
    });
    const files = await tree.list();
    rmSync(join(tree.root, 'e.c'));
    const { clones, skipped } = await findClones(tree, { ...SIZES, files, handwritten: [] });
    expect(clones[0]?.copies).toBe(2);
    expect(skipped.map(({ reason, examples }) => [reason, ...examples])).toEqual([
      ['binary', 'c.c'],
      ['generated', 'd.c'],
      ['vanished', 'e.c'],
    ]);
    expect((await findClones(tree, { ...SIZES, files, handwritten: ['d.c'] })).clones[0]?.copies).toBe(3);
  });

  it('of no files finds nothing', async () => {
    const { clones, totals, complete } = await findClones(plantTree(), { files: [] });
    expect({ clones, ...totals, complete }).toMatchObject({ clones: [], files: 0, percentage: 0, complete: true });
  });

  it('reports ever larger progress up to its total', async () => {
    const seen: number[] = [];
    await findClones(forest(), { ...SIZES, onProgress: ({ done, total }) => seen.push(done / total) });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(1);
  });

  it.each([{ minTokens: 3 }, { minTokens: 1.5 }, { minLines: 0 }])(
    'refuses sizes that cannot be: %o',
    async (sizes) => {
      await expect(findClones(plantTree(), sizes)).rejects.toThrow(RangeError);
    },
  );

  it('ends within a second of its abort, whatever it is at', async () => {
    const tree = forest();
    const files = await tree.list();
    for (const share of [0, 0.3, 0.6, 0.9]) {
      const abort = new AbortController();
      let abortedAt = 0;
      const onProgress = ({ done, total }: { done: number; total: number }) => {
        if (done / total < share || abort.signal.aborted) return;
        abortedAt = ownMs();
        abort.abort(new Error('enough'));
      };
      const run = measureDuplication({ root: tree.root, files, ...SIZES, signal: abort.signal, onProgress });
      await expect(run).rejects.toThrow('enough');
      expect(ownMs() - abortedAt).toBeLessThan(1000);
    }
  });
});
