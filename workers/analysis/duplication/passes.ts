/** Runs the passes of a measurement over a pool of threads; no figure depends on how many there are. */
import type { Skip } from '../count-chunk.js';
import type { ThreadPool } from '../thread-pool.js';
import { bytesOfOrder, type CatalogueMemory, clearCatalogue, createCatalogueMemory } from './catalogue.js';
import type { Comparison } from './comparison.js';
import type { Folded } from './fold-pairs.js';
import { createLanguageTable, type LanguageTable } from './language-table.js';
import { createPairStore } from './pair-store.js';
import { shareNames } from './shared-names.js';
import { bytesOfSieve, createSieveMemory, type SieveMemory } from './sieve.js';
import type { CloneAnswer, CloneWork, FileRange } from './thread-work.js';

/** What to compare, and how. */
export interface PassOptions {
  readonly terms: Comparison;
  readonly files: readonly string[];
  readonly handwritten: readonly string[];
  readonly threads: number;
  readonly mostFingerprints: number;
  readonly mostPairs: number;
  readonly mostClones: number;
  readonly mostPlaces: number;
  /** Hears of the files done in all passes together; never falls. */
  readonly onDone: (files: number) => void;
}

/** What the passes found. */
export interface PassResult {
  readonly languages: LanguageTable;
  readonly skips: readonly Skip[];
  readonly folded: Folded;
  readonly sampledOneIn: number;
  readonly crowdedFingerprints: number;
  readonly cutFiles: number;
  readonly lostPairs: number;
}

/** How many passes over the files there are. */
export const PASSES = 3;
/** How many files a thread takes at a time. */
const RANGE_FILES = 128;

/** Runs all passes. Rejects with the reason of the pool's signal on abort. */
export async function runPasses(pool: ThreadPool, options: PassOptions): Promise<PassResult> {
  const { files } = options;
  const run = createRunner(pool, options);
  const { languages, skips, catalogue, oneIn } = await collect(run, options);
  await ask(pool, { step: 'order', catalogue });
  const matched = await match(run, options, catalogue);
  const { packed, lost } = matched.pairs;
  const { mostClones, mostPlaces } = options;
  const answer = await ask(pool, { step: 'fold', folding: { packed, files: files.length, mostClones, mostPlaces } });
  if (answer.step !== 'fold') throw unexpected('fold', answer);
  const { crowdedFingerprints, cutFiles } = matched;
  return {
    languages,
    skips,
    folded: answer.folded,
    sampledOneIn: oneIn,
    crowdedFingerprints,
    cutFiles,
    lostPairs: lost,
  };
}

/** The first two passes; the sieve is needed no longer after them, and the order of the catalogue takes its memory. */
async function collect(run: Runner, options: PassOptions) {
  const { files, mostFingerprints } = options;
  const memory = new SharedArrayBuffer(Math.max(bytesOfSieve(files.length), bytesOfOrder(mostFingerprints)));
  const sieve = createSieveMemory(files.length, memory);
  const catalogue = createCatalogueMemory(files.length, mostFingerprints, memory);
  return { ...(await sift(run, options, sieve)), ...(await fillCatalogue(run, options, { sieve, catalogue })) };
}

async function sift(run: Runner, { terms, files }: PassOptions, sieve: SieveMemory) {
  const languages = createLanguageTable(files.length);
  const skips: Skip[] = [];
  await run({
    work: (range) => ({ step: 'sift', terms, range, sieve }),
    take(answer) {
      if (answer.step !== 'sift') throw unexpected('sift', answer);
      languages.add(answer.languages);
      skips.push(...answer.skips);
    },
  });
  return { languages, skips };
}

/** Where there are too many fingerprints half of them are left out, again and again until the rest finds room. */
async function fillCatalogue(
  run: Runner,
  { terms }: PassOptions,
  { sieve, catalogue }: { readonly sieve: SieveMemory; readonly catalogue: CatalogueMemory },
) {
  for (let oneIn = 1; ; oneIn *= 2) {
    let complete = true;
    await run({
      work: (range) => (complete ? { step: 'catalogue', terms, range, sieve, catalogue, oneIn } : undefined),
      take(answer) {
        if (answer.step !== 'catalogue') throw unexpected('catalogue', answer);
        complete &&= answer.complete;
      },
    });
    if (complete) return { catalogue, oneIn };
    clearCatalogue(catalogue);
  }
}

async function match(run: Runner, options: PassOptions, catalogue: CatalogueMemory) {
  const { terms, files, handwritten, mostPairs } = options;
  const names = shareNames(files, handwritten);
  const store = createPairStore(mostPairs);
  let crowdedFingerprints = 0;
  let cutFiles = 0;
  await run({
    work: ({ first, paths }) => ({ step: 'match', terms, first, count: paths.length, catalogue, names }),
    take(answer, index) {
      if (answer.step !== 'match') throw unexpected('match', answer);
      store.put(index, answer.pairs);
      crowdedFingerprints += answer.crowded;
      cutFiles += answer.cutFiles;
    },
  });
  return { pairs: store.result(), crowdedFingerprints, cutFiles };
}

interface Pass {
  /** The work for one range of files; undefined to leave out the rest of the pass. */
  work(range: FileRange): CloneWork | undefined;
  take(answer: CloneAnswer, index: number): void;
}

type Runner = (pass: Pass) => Promise<void>;

function createRunner(pool: ThreadPool, { files, handwritten, threads, onDone }: PassOptions): Runner {
  const trusted = new Set(handwritten);
  const ranges = Math.ceil(files.length / RANGE_FILES);
  let passes = 0;
  let most = 0;

  function rangeAt(index: number): FileRange {
    const first = index * RANGE_FILES;
    const paths = files.slice(first, first + RANGE_FILES);
    return { first, paths, handwritten: trusted.size > 0 ? paths.filter((path) => trusted.has(path)) : [] };
  }

  /** A pass that is repeated tells no progress until it is further than before. */
  function tell(doneInPass: number): void {
    const done = Math.min(passes, PASSES - 1) * files.length + doneInPass;
    if (done <= most) return;
    most = done;
    onDone(done);
  }

  return async ({ work, take }) => {
    let next = 0;
    let done = 0;
    async function drain(): Promise<void> {
      while (next < ranges) {
        const index = next++;
        const range = rangeAt(index);
        const request = work(range);
        if (request === undefined) return;
        take(await ask(pool, request), index);
        done += range.paths.length;
        tell(done);
      }
    }
    // Two requests a thread: one is done while the next is on its way.
    await Promise.all(Array.from({ length: 2 * threads }, drain));
    if (next >= ranges) passes += 1;
  };
}

async function ask(pool: ThreadPool, work: CloneWork): Promise<CloneAnswer> {
  const response = await pool.ask({ kind: 'clones', work });
  if (response.kind !== 'clones') throw new TypeError(`A search for clones was answered with '${response.kind}'.`);
  return response.answer;
}

function unexpected(step: string, answer: CloneAnswer): TypeError {
  return new TypeError(`The step '${step}' was answered with '${answer.step}'.`);
}
