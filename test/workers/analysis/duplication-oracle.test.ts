/** Holds the search for clones to a naive one that compares every place with every other. */
import { describe, expect, it } from 'vitest';
import type { Clone } from '../../../workers/analysis/duplication/measure-duplication.js';
import { createRandom, findClones, text } from './clone-trees.js';
import { plantTree } from './trees.js';

const MIN_TOKENS = 8;
/** What `grainOf` makes of eight tokens: fingerprints of four, tables with a period of at most two. */
const RUN = 4;
const LONGEST_PERIOD = 2;

type Files = ReadonlyMap<string, readonly string[]>;

/** Words of a small alphabet with stretches taken over from what stands before. */
function scribble(seed: number): Files {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const letters = 3 + below(12);
  const all: string[] = [];
  const files = new Map<string, readonly string[]>();
  for (let file = 0; file < 2 + below(6); file += 1) {
    const words: string[] = [];
    while (words.length < 10 + below(60)) {
      const copied = random() < 0.15 && all.length > 0;
      const from = below(all.length);
      words.push(...(copied ? all.slice(from, from + 4 + below(20)) : [`w${below(letters)}`]));
    }
    all.push(...words);
    files.set(`f${file}.txt.c`, words);
  }
  return files;
}

const isTable = (run: readonly string[]) =>
  Array.from({ length: LONGEST_PERIOD }, (_, i) => i + 1).some((period) =>
    run.slice(period).every((word, i) => word === run[i]),
  );

const onlyTables = (words: readonly string[]) => words.slice(RUN - 1).every((_, i) => isTable(words.slice(i, i + RUN)));

/** By file: the tokens that lie in some stretch of the least length that stands somewhere else too. */
function duplicatedTokens(files: Files): Map<string, Set<number>> {
  const windows = [...files].flatMap(([path, words]) =>
    words.slice(MIN_TOKENS - 1).map((_, at) => ({ path, at, key: words.slice(at, at + MIN_TOKENS).join(' ') })),
  );
  const found = new Map([...files.keys()].map((path) => [path, new Set<number>()]));
  for (const a of windows) {
    const copied = windows.some((b) => a.key === b.key && (a.path !== b.path || Math.abs(a.at - b.at) >= MIN_TOKENS));
    if (!copied || onlyTables(a.key.split(' '))) continue;
    for (let i = 0; i < MIN_TOKENS; i += 1) found.get(a.path)?.add(a.at + i);
  }
  return found;
}

/** What is wrong with a clone: nothing, if it is one. Each word stands on a line of its own. */
function faultsOf({ tokens, places }: Clone, files: Files): string[] {
  const [first, ...others] = places.map((place) => ({ ...place, words: files.get(place.path) ?? [] }));
  if (first === undefined) return ['has no place'];
  const faults: string[] = tokens < MIN_TOKENS ? ['is too short'] : [];
  for (const other of others) {
    const from = first.startLine - 1;
    const otherFrom = other.startLine - 1;
    const same =
      first.words.slice(from, from + tokens).join(' ') === other.words.slice(otherFrom, otherFrom + tokens).join(' ');
    if (!same) faults.push('is not the same');
    if (other.endLine - other.startLine + 1 !== tokens) faults.push('has other ends');
    if (other.path === first.path && first.endLine >= other.startLine) faults.push('overlaps itself');
    if (other.path === first.path) continue;
    const before = first.words[from - 1];
    const behind = first.words[from + tokens];
    if (before !== undefined && before === other.words[otherFrom - 1]) faults.push('starts too late');
    if (behind !== undefined && behind === other.words[otherFrom + tokens]) faults.push('ends too early');
  }
  return faults;
}

describe('the clones of random texts', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))('are those of the naive search (seed %i)', async (seed) => {
    const files = scribble(seed);
    const tree = plantTree(Object.fromEntries([...files].map(([path, words]) => [path, text(...words)])));
    const { clones, totals } = await findClones(tree, {
      files: [...files.keys()],
      minTokens: MIN_TOKENS,
      minLines: 1,
      mostPlaces: 1000,
      threads: 1 + (seed % 2),
    });
    expect(clones.flatMap((clone) => faultsOf(clone, files))).toEqual([]);
    const told = new Map([...files.keys()].map((path) => [path, new Set<number>()]));
    for (const { path, startLine, endLine } of clones.flatMap(({ places }) => places)) {
      for (let line = startLine; line <= endLine; line += 1) told.get(path)?.add(line - 1);
    }
    const missing = [...duplicatedTokens(files)].flatMap(([path, tokens]) =>
      [...tokens].filter((token) => !told.get(path)?.has(token)).map((token) => `${path}:${token}`),
    );
    expect(missing).toEqual([]);
    expect(totals.duplicatedLines).toBe([...told.values()].reduce((sum, { size }) => sum + size, 0));
  });
});
