/** Measures the complexity of a listed tree on threads of its own. The entry of this folder. */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { DEFAULT_MAX_FILE_BYTES } from '../count-files.js';
import { type Crew, createCrew } from '../syntax/crew.js';
import { DEFAULT_MAX_PARSE_BYTES, DEFAULT_PARSE_TIMEOUT_MS } from '../syntax/syntax.js';
import { ThreadLost } from '../syntax/syntax-thread.js';
import { type ComplexityResult, createComplexityTally, type MeasuredFile } from './complexity-result.js';
import type { FileToMeasure } from './measure-file.js';

export {
  type ComplexityResult,
  type ComplexitySums,
  createComplexityTally,
  type FileDecisions,
  type FunctionComplexity,
  functionsOf,
  type LanguageComplexity,
  type MeasuredFile,
  type Step,
  type UnparsedFiles,
} from './complexity-result.js';

const DEFAULT_HARDEST = 50;
const MOST_THREADS = 4;
/** Below this many files a thread a further thread costs more than it saves: each loads the grammars anew. */
const FILES_PER_THREAD = 100;
/** How many files a thread are asked for ahead, so that a slow one does not hold up the others. */
const FILES_AHEAD = 8;

/** Bounds of a measurement. */
export interface ComplexityLimits {
  /** Larger files are skipped as `too_large`. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Larger texts are measured by tokens only. Default 1 MiB. */
  readonly maxParseBytes?: number | undefined;
  /** A parse is given up after this long. Default 5 s. */
  readonly parseTimeoutMs?: number | undefined;
  /** How many of the hardest functions and files a result names. Default 50. */
  readonly hardest?: number | undefined;
  /** How many threads, at least one, each of up to some 200 MB. Default: by the number of files and processors, at most four. */
  readonly threads?: number | undefined;
}

/** What to measure. */
export interface ComplexityOptions {
  /** The absolute real path of the tree. */
  readonly root: string;
  /** As `listFiles` yields them, as are `handwritten`. */
  readonly files: readonly string[];
  readonly handwritten?: readonly string[] | undefined;
  /** On abort the measurement rejects with its reason, with its threads ended. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ComplexityProgress) => void) | undefined;
  readonly limits?: ComplexityLimits | undefined;
}

/** How far a measurement is. */
export interface ComplexityProgress {
  readonly phase: 'complexity';
  readonly done: number;
  readonly total: number;
}

/**
 * Measures a tree. No single file can fail it: a file that cannot be read is skipped with a reason, one whose parse takes too
 * long or crashes is measured by its tokens and named as unparsed. The result does not depend on the number of threads.
 */
export async function measureComplexity(options: ComplexityOptions): Promise<ComplexityResult> {
  const tally = createComplexityTally(options.limits?.hardest ?? DEFAULT_HARDEST);
  for await (const file of measureEach(options)) tally.add(file);
  return tally.result();
}

/** Measures a tree file by file in the order given, at the caller's pace: the full table, of which nothing is kept here. */
export async function* measureEach(options: ComplexityOptions): AsyncGenerator<MeasuredFile, void, undefined> {
  const { files, onProgress, limits = {} } = options;
  const threads = Math.max(1, limits.threads ?? defaultThreads(files.length));
  const signal = AbortSignal.any([options.signal]);
  setMaxListeners(threads * FILES_AHEAD + 1, signal);
  const crew = createCrew(threads);
  const handwritten = new Set(options.handwritten);
  const ahead: Promise<MeasuredFile>[] = [];
  let done = 0;
  try {
    signal.throwIfAborted();
    for (let next = 0; done < files.length; done += 1) {
      for (; next < files.length && ahead.length < threads * FILES_AHEAD; next += 1) {
        const path = files[next] ?? '';
        ahead.push(measureOne(crew, toMeasure(options, path, handwritten.has(path)), signal));
      }
      const file = await ahead.shift();
      if (file) yield file;
      onProgress?.({ phase: 'complexity', done: done + 1, total: files.length });
    }
  } finally {
    for (const file of ahead) file.catch(() => {});
    await crew.end();
  }
}

function defaultThreads(files: number): number {
  return Math.min(MOST_THREADS, availableParallelism(), Math.ceil(files / FILES_PER_THREAD));
}

function toMeasure({ root, limits = {} }: ComplexityOptions, path: string, handwritten: boolean): FileToMeasure {
  const {
    maxFileBytes = DEFAULT_MAX_FILE_BYTES,
    maxParseBytes = DEFAULT_MAX_PARSE_BYTES,
    parseTimeoutMs: timeoutMs = DEFAULT_PARSE_TIMEOUT_MS,
  } = limits;
  return { root, path, handwritten, maxFileBytes, maxParseBytes, timeoutMs };
}

/** A file that costs its thread is measured once more without its tree. */
async function measureOne(crew: Crew, file: FileToMeasure, signal: AbortSignal): Promise<MeasuredFile> {
  const { path } = file;
  try {
    return { path, ...(await ask(crew, file, signal)) };
  } catch (error) {
    if (!(error instanceof ThreadLost)) throw error;
    const byTokens = await ask(crew, { ...file, maxParseBytes: -1 }, signal);
    return 'skip' in byTokens ? { path, ...byTokens } : { path, ...byTokens, functions: 'crashed' };
  }
}

async function ask(crew: Crew, file: FileToMeasure, signal: AbortSignal) {
  const answer = await crew.ask({ question: 'file', ...file }, signal);
  if (answer.question !== 'file') throw new TypeError(`A file was answered with '${answer.question}'.`);
  return answer.value;
}
