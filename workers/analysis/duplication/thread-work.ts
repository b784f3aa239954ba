/** The parts of a measurement that run in worker threads: sifting, cataloguing, ordering and matching. */
import type { Skip } from '../count-chunk.js';
import { type CatalogueMemory, enterFile, orderCatalogue } from './catalogue.js';
import type { Comparison } from './comparison.js';
import { createFingerprinter, grainOf } from './fingerprints.js';
import { type Folded, type Folding, foldPairs } from './fold-pairs.js';
import { createMatcher, type Matcher } from './match-file.js';
import type { Match } from './matches.js';
import { type PackedPairs, packPairs } from './pairs.js';
import { nameAt, type SharedNames } from './shared-names.js';
import { sidesOf } from './sides.js';
import { openSieve, type SieveMemory } from './sieve.js';
import { createTokenSource, type SourceTokens, type TokenSource } from './token-source.js';

/** Some of the files, by their number in the whole list. */
export interface FileRange {
  readonly first: number;
  readonly paths: readonly string[];
  /** Those of `paths` that are declared not to be generated. */
  readonly handwritten: readonly string[];
}

/** A piece of work; every thread of a measurement gets some of each kind. */
export type CloneWork =
  | { readonly step: 'sift'; readonly terms: Comparison; readonly range: FileRange; readonly sieve: SieveMemory }
  | {
      readonly step: 'catalogue';
      readonly terms: Comparison;
      readonly range: FileRange;
      readonly sieve: SieveMemory;
      readonly catalogue: CatalogueMemory;
      /** Only one in so many fingerprints is entered; a power of two. */
      readonly oneIn: number;
    }
  | { readonly step: 'order'; readonly catalogue: CatalogueMemory }
  | {
      readonly step: 'match';
      readonly terms: Comparison;
      readonly first: number;
      readonly count: number;
      readonly catalogue: CatalogueMemory;
      /** All files, joined by NUL bytes, in shared memory: matching reads any of them. */
      readonly names: SharedNames;
    }
  | { readonly step: 'fold'; readonly folding: Folding };

/** The files of one language in a range. */
export interface LanguageTokens {
  readonly language: string;
  readonly files: number[];
  codeLines: number;
  tokens: number;
}

/** What a piece of work yields. */
export type CloneAnswer =
  | { readonly step: 'sift'; readonly languages: readonly LanguageTokens[]; readonly skips: readonly Skip[] }
  | { readonly step: 'catalogue'; readonly complete: boolean }
  | { readonly step: 'order' }
  | {
      readonly step: 'match';
      readonly pairs: PackedPairs;
      readonly crowded: number;
      readonly cutFiles: number;
    }
  | { readonly step: 'fold'; readonly folded: Folded };

type Step<Name extends CloneWork['step']> = Extract<CloneWork, { step: Name }>;

/** What a thread keeps between pieces of work. */
interface Bench {
  source: TokenSource | undefined;
  matcher: Matcher | undefined;
}

/** Does pieces of work of one measurement, one after another. */
export function createCloneWorker(): (work: CloneWork) => CloneAnswer {
  const bench: Bench = { source: undefined, matcher: undefined };

  return (work) => {
    switch (work.step) {
      case 'sift':
        return sift(bench, work);
      case 'catalogue':
        return catalogue(bench, work);
      case 'order':
        orderCatalogue(work.catalogue);
        return { step: 'order' };
      case 'match':
        return match(bench, work);
      case 'fold':
        // What matching needed is not needed beside the pairs.
        bench.source = undefined;
        bench.matcher = undefined;
        return { step: 'fold', folded: foldPairs(work.folding) };
    }
  };
}

function sift(bench: Bench, { terms, range, sieve: memory }: Step<'sift'>): CloneAnswer {
  bench.source ??= createTokenSource(terms);
  const { find } = createFingerprinter(grainOf(terms.minTokens));
  const sieve = openSieve(memory);
  const languages = new Map<string, LanguageTokens>();
  const skips: Skip[] = [];
  each(bench.source, range, {
    onTokens(tokens, file) {
      bookLanguage(languages, tokens, file);
      find(tokens, tokens.seed, (hash) => sieve.add(hash));
    },
    onSkip: (skip) => skips.push(skip),
  });
  return { step: 'sift', languages: [...languages.values()], skips };
}

function catalogue(bench: Bench, work: Step<'catalogue'>): CloneAnswer {
  const { terms, range, oneIn } = work;
  bench.source ??= createTokenSource(terms);
  const grain = grainOf(terms.minTokens);
  const { find } = createFingerprinter(grain);
  const sieve = openSieve(work.sieve);
  let complete = true;
  each(bench.source, range, {
    onTokens(tokens, file) {
      const hashes: number[] = [];
      const places: number[] = [];
      const sides: number[] = [];
      find(tokens, tokens.seed, (hash, place) => {
        if ((hash & (oneIn - 1)) !== 0 || !sieve.repeats(hash)) return;
        hashes.push(hash);
        places.push(place);
        sides.push(sidesOf(tokens, place, grain));
      });
      if (!enterFile(work.catalogue, { file, hashes, places, sides })) complete = false;
    },
  });
  return { step: 'catalogue', complete };
}

function match(bench: Bench, work: Step<'match'>): CloneAnswer {
  const { terms, names, first, count } = work;
  bench.source ??= createTokenSource(terms);
  const { keep } = bench.source;
  bench.matcher ??= createMatcher({
    ...terms,
    catalogue: work.catalogue,
    tokensOf: (file) => keep({ path: nameAt(names, file), handwritten: names.handwritten.has(file) }),
  });
  const matches: Match[] = [];
  let crowded = 0;
  let cutFiles = 0;
  for (let file = first; file < first + count; file += 1) {
    const found = bench.matcher.match(file);
    for (const one of found.matches) matches.push(one);
    crowded += found.crowded;
    if (found.cut) cutFiles += 1;
  }
  return { step: 'match', pairs: packPairs(matches), crowded, cutFiles };
}

interface Listener {
  onTokens(tokens: SourceTokens, file: number): void;
  onSkip?(skip: Skip): void;
}

function each(source: TokenSource, { first, paths, handwritten }: FileRange, { onTokens, onSkip }: Listener): void {
  const trusted = new Set(handwritten);
  paths.forEach((path, at) => {
    const tokens = source.read({ path, handwritten: trusted.has(path) });
    if ('hashes' in tokens) onTokens(tokens, first + at);
    else if ('skip' in tokens) onSkip?.({ path, reason: tokens.skip });
  });
}

function bookLanguage(table: Map<string, LanguageTokens>, tokens: SourceTokens, file: number): void {
  const { language, codeLines, count } = tokens;
  const row = table.get(language) ?? { language, files: [], codeLines: 0, tokens: 0 };
  row.files.push(file);
  row.codeLines += codeLines;
  row.tokens += count;
  table.set(language, row);
}
