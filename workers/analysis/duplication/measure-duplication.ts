/**
 * Finds code that stands in more than one place. The entry of this folder; `docs/metrics.md` tells the rules and their
 * sources. Three passes over the files in worker threads, in memory that hardly grows with them: which fingerprints
 * repeat, where these stand, and how far what stands there is the same.
 */
import type { Skip } from '../count-chunk.js';
import { DEFAULT_MAX_FILE_BYTES, defaultThreads } from '../count-files.js';
import { compareText, MOST_EXAMPLES, type SkippedFiles, type SkipReason } from '../counts.js';
import { printablePath } from '../paths.js';
import { createThreadPool } from '../thread-pool.js';
import type { FoldedClone } from './fold-pairs.js';
import type { DuplicationCounts, LanguageDuplication } from './language-table.js';
import { PASSES, type PassOptions, type PassResult, runPasses } from './passes.js';
import type { Normalize } from './tokens.js';

export type { DuplicationCounts, LanguageDuplication } from './language-table.js';
export type { Normalize } from './tokens.js';

/** The least size of a clone where none is given: 50 tokens and 5 lines, as jscpd has it. */
export const DEFAULT_MIN_TOKENS = 50;
/** The least number of lines of a clone where none is given. */
export const DEFAULT_MIN_LINES = 5;
/** Below this a fingerprint would be too short to tell anything. */
export const LEAST_MIN_TOKENS = 4;

const MOST_CLONES = 1000;
const MOST_PLACES = 20;
/** Sixteen bytes each, and eight more that lie where the sieve was: 192 MB at most with the sieve. */
export const MOST_FINGERPRINTS = 8_000_000;
const MOST_PAIRS = 200_000;
/** By all threads together, eight bytes each. */
const MOST_KEPT = 6_000_000;

/** What to compare, and how. */
export interface DuplicationOptions {
  /** The absolute real path of a folder. */
  readonly root: string;
  /** As `listFiles` yields them. */
  readonly files: readonly string[];
  /** Files whose content is not to be searched for generators' marks. */
  readonly handwritten?: readonly string[] | undefined;
  /** The least number of tokens of a clone, at least 4. Default 50. */
  readonly minTokens?: number | undefined;
  /** The least number of lines, on either side, that hold tokens of a clone, at least 1. Default 5. */
  readonly minLines?: number | undefined;
  /** `exact`: tokens must be the same. `names`: any two names and any two literals count as the same. Default `exact`. */
  readonly normalize?: Normalize | undefined;
  /** How many clones the result names. Default 1,000. */
  readonly mostClones?: number | undefined;
  /** How many places the result names for each clone, at least two. Default 20. */
  readonly mostPlaces?: number | undefined;
  /** How many repeated fingerprints are held at a time; beyond that only a sample is. Default 8 million, 192 MB. */
  readonly mostFingerprints?: number | undefined;
  /** How many pairs of places are held. Default 200,000. */
  readonly mostPairs?: number | undefined;
  /** Larger files are skipped. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Default: by the number of files and processors. */
  readonly threads?: number | undefined;
  /** On abort the promise rejects with its reason and the threads are ended. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: DuplicationProgress) => void) | undefined;
}

/** How far a measurement is; `total` is three times the number of files, since each is read up to three times. */
export interface DuplicationProgress {
  readonly phase: 'duplication';
  readonly done: number;
  readonly total: number;
}

/** One of the places of a clone; lines from 1, both inclusive. */
export interface ClonePlace {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** The same code in several places. */
export interface Clone {
  readonly language: string;
  readonly tokens: number;
  /** Lines of the first place that hold its tokens. */
  readonly lines: number;
  /** How many places there are; `places` names the first of them. */
  readonly copies: number;
  readonly places: readonly ClonePlace[];
}

/** What kept a result from being complete; all zero and one for a complete one. */
export interface DuplicationBounds {
  /** Only one in so many repeated fingerprints was looked at: clones hardly longer than the least size may be missing. */
  readonly sampledOneIn: number;
  /** Places whose fingerprint stands in so many others that only the first 1,024 were compared, none of them alike enough. */
  readonly crowdedFingerprints: number;
  /** Files of which only a part was compared, because it resembles too much. */
  readonly cutFiles: number;
  /** Pairs of places that were found but found no room. */
  readonly lostPairs: number;
}

/** What was found; plain JSON. */
export interface Duplication {
  readonly minTokens: number;
  readonly minLines: number;
  readonly normalize: Normalize;
  readonly totals: DuplicationCounts;
  /** Most duplicated lines first, then by name. */
  readonly byLanguage: readonly LanguageDuplication[];
  /** Largest first: by lines, then tokens, then number of copies, then path. */
  readonly clones: readonly Clone[];
  /** All clones, named or not. */
  readonly clonesFound: number;
  /** Files that could not be read or are no source; files in languages that are not compared are not among them. */
  readonly skipped: readonly SkippedFiles[];
  /** Whether no bound was hit. */
  readonly complete: boolean;
  readonly bounds: DuplicationBounds;
}

/**
 * Measures duplication. The result does not depend on the number of threads. Throws a RangeError for sizes that cannot be;
 * no single file can fail it.
 */
export async function measureDuplication(options: DuplicationOptions): Promise<Duplication> {
  const { files, signal, onProgress } = options;
  const passOptions = passOptionsOf(options);
  signal.throwIfAborted();
  const total = PASSES * files.length;
  const onDone = (done: number) => onProgress?.({ phase: 'duplication', done, total });
  const pool = createThreadPool({ threads: passOptions.threads, signal });
  try {
    return resultOf(passOptions, await runPasses(pool, { ...passOptions, onDone }));
  } finally {
    await pool.end();
  }
}

function passOptionsOf(options: DuplicationOptions): Omit<PassOptions, 'onDone'> {
  const { root, files, handwritten = [], minTokens = DEFAULT_MIN_TOKENS, minLines = DEFAULT_MIN_LINES } = options;
  atLeast(LEAST_MIN_TOKENS, 'minTokens', minTokens);
  atLeast(1, 'minLines', minLines);
  const { normalize = 'exact', maxFileBytes = DEFAULT_MAX_FILE_BYTES } = options;
  const threads = Math.max(1, options.threads || defaultThreads(files.length));
  return {
    terms: { root, minTokens, minLines, normalize, maxFileBytes, mostKept: Math.floor(MOST_KEPT / threads) },
    files,
    handwritten,
    threads,
    mostFingerprints: options.mostFingerprints ?? MOST_FINGERPRINTS,
    mostPairs: options.mostPairs ?? MOST_PAIRS,
    mostClones: options.mostClones ?? MOST_CLONES,
    mostPlaces: Math.max(2, options.mostPlaces ?? MOST_PLACES),
  };
}

function atLeast(least: number, name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`${name} must be a whole number of at least ${least}, not ${value}.`);
}

function resultOf({ terms, files }: Omit<PassOptions, 'onDone'>, passes: PassResult): Duplication {
  const { minTokens, minLines, normalize } = terms;
  const { languages, folded, skips, sampledOneIn, crowdedFingerprints, cutFiles, lostPairs } = passes;
  const nameClone = ({ places, ...sizes }: FoldedClone): Clone => ({
    language: languages.languageOf(places[0]?.file ?? 0) ?? '',
    ...sizes,
    places: places.map(({ file, startLine, endLine }) => ({
      path: printablePath(files[file] ?? ''),
      startLine,
      endLine,
    })),
  });
  return {
    minTokens,
    minLines,
    normalize,
    ...languages.result(folded.duplicatedLines),
    clones: folded.clones.map(nameClone),
    clonesFound: folded.clonesFound,
    skipped: groupSkips(skips),
    complete: sampledOneIn === 1 && crowdedFingerprints + cutFiles + lostPairs === 0,
    bounds: { sampledOneIn, crowdedFingerprints, cutFiles, lostPairs },
  };
}

function groupSkips(skips: readonly Skip[]): SkippedFiles[] {
  const byReason = new Map<SkipReason, string[]>();
  for (const { path, reason } of skips) {
    const paths = byReason.get(reason) ?? [];
    paths.push(path);
    byReason.set(reason, paths);
  }
  const rows = [...byReason].map(([reason, paths]) => ({
    reason,
    files: paths.length,
    examples: paths.sort(compareText).slice(0, MOST_EXAMPLES).map(printablePath),
  }));
  return rows.sort((a, b) => compareText(a.reason, b.reason));
}
