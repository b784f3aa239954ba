/** Measures the complexity of a listed tree on threads of its own. The entry of this folder. */
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { DEFAULT_MAX_FILE_BYTES } from '../count-files.js';
import { createLanguageDeclarations } from '../declared-languages.js';
import { type Crew, createCrew } from '../syntax/crew.js';
import { DEFAULT_MAX_PARSE_BYTES, DEFAULT_MAX_PARSE_STEPS } from '../syntax/syntax.js';
import { ThreadLost } from '../syntax/syntax-thread.js';
import type { ComplexityCache, FileInTree } from './complexity-cache.js';
import { type ComplexityResult, createComplexityTally, type MeasuredFile } from './complexity-result.js';
import type { FileToMeasure, MeterAnswer } from './measure-file.js';

export { type ComplexityCache, openComplexityCache } from './complexity-cache.js';
export {
  type ComplexityPart,
  type ComplexityResult,
  type ComplexitySums,
  type ComplexityTally,
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
/** How many files are looked up at a time. */
const RECALL_FILES = 256;
const SHARED_IDLE_MS = 5_000;

/** Bounds of a measurement. */
export interface ComplexityLimits {
  /** Larger files are skipped as `too_large`. Default 10 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Larger texts are measured by tokens only. Default 1 MiB. */
  readonly maxParseBytes?: number | undefined;
  /** A parse is given up after so many steps. Default 100,000. */
  readonly maxParseSteps?: number | undefined;
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
  /** What is known of the files, which need not be measured again; what is new is noted in it. */
  readonly cache?: ComplexityCache | undefined;
  /** Threads that live on; without it the measurement starts its own, and ends them. */
  readonly crew?: Crew | undefined;
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
  const tally = createComplexityTally({ functions: options.limits?.hardest ?? DEFAULT_HARDEST });
  for await (const file of measureEach(options)) tally.add(file);
  return tally.result();
}

/** Threads for many measurements of one process, side by side or one after the other. They end when nothing was measured for a while. */
export function createSharedCrew(threads: number): Crew {
  return createCrew(threads || Math.min(MOST_THREADS, availableParallelism()), { idleMs: SHARED_IDLE_MS });
}

/** Measures a tree file by file in the order given, at the caller's pace: the full table, of which nothing is kept here. */
export async function* measureEach(options: ComplexityOptions): AsyncGenerator<MeasuredFile, void, undefined> {
  const { files, onProgress, limits = {} } = options;
  const threads = Math.max(1, limits.threads ?? defaultThreads(files.length));
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  setMaxListeners(threads * FILES_AHEAD + 1, signal);
  const crew = options.crew ?? createCrew(threads);
  const most = threads === 1 ? 1 : threads * FILES_AHEAD;
  const ahead: Promise<MeasuredFile>[] = [];
  let done = 0;
  try {
    signal.throwIfAborted();
    for await (const { file, known } of recalled(options)) {
      ahead.push(known ? Promise.resolve({ path: file.path, ...known }) : measureOne(file, { crew, signal, options }));
      if (ahead.length < most) continue;
      yield await next();
    }
    while (ahead.length > 0) yield await next();
  } finally {
    for (const file of ahead) file.catch(() => {});
    over.abort(new Error('The measurement was left off.'));
    if (!options.crew) await crew.end();
  }

  async function next(): Promise<MeasuredFile> {
    const file = await (ahead.shift() ?? Promise.reject(new TypeError('No file is being measured.')));
    done += 1;
    onProgress?.({ phase: 'complexity', done, total: files.length });
    return file;
  }
}

function defaultThreads(files: number): number {
  return Math.min(MOST_THREADS, availableParallelism(), Math.ceil(files / FILES_PER_THREAD));
}

/** The files with what is known of them, a few hundred at a time; others run in between. */
async function* recalled(options: ComplexityOptions) {
  const { files, cache, limits = {} } = options;
  const handwritten = new Set(options.handwritten);
  const languages = createLanguageDeclarations(options.root);
  for (let start = 0; start < files.length; start += RECALL_FILES) {
    const some = files.slice(start, start + RECALL_FILES).map((path) => ({ path, handwritten: handwritten.has(path) }));
    if (cache) await new Promise((resolve) => setImmediate(resolve));
    options.signal.throwIfAborted();
    const known = cache?.recall(some, limits.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES) ?? [];
    for (const [index, file] of some.entries()) {
      const declared = languages.of(file.path)?.name;
      // What the tree declares it may declare otherwise the next time.
      yield {
        file: toMeasure(options, { ...file, declaredName: declared }),
        known: declared ? undefined : known[index],
      };
    }
  }
}

type NamedFile = FileInTree & Pick<FileToMeasure, 'declaredName'>;

function toMeasure({ root, limits = {} }: ComplexityOptions, file: NamedFile): FileToMeasure {
  const {
    maxFileBytes = DEFAULT_MAX_FILE_BYTES,
    maxParseBytes = DEFAULT_MAX_PARSE_BYTES,
    maxParseSteps = DEFAULT_MAX_PARSE_STEPS,
  } = limits;
  return { root, ...file, maxFileBytes, maxParseBytes, maxParseSteps };
}

interface Measuring {
  readonly crew: Crew;
  readonly signal: AbortSignal;
  readonly options: ComplexityOptions;
}

/** A file that costs its thread is measured once more without its tree. */
async function measureOne(file: FileToMeasure, { crew, signal, options }: Measuring): Promise<MeasuredFile> {
  const { path } = file;
  try {
    const answer = await ask(crew, file, signal);
    learn(file, answer, options);
    return { path, ...answer.outcome };
  } catch (error) {
    if (!(error instanceof ThreadLost)) throw error;
    const { outcome } = await ask(crew, { ...file, maxParseBytes: -1 }, signal);
    return 'skip' in outcome ? { path, ...outcome } : { path, ...outcome, functions: 'crashed' };
  }
}

/** What came of the file's content alone, within the usual limits, will come of it again. */
function learn(
  { path, handwritten, declaredName }: FileToMeasure,
  { outcome, seen }: MeterAnswer,
  options: ComplexityOptions,
): void {
  const { cache, limits } = options;
  if (!cache || !seen || declaredName || limits?.maxParseBytes !== undefined || limits?.maxParseSteps !== undefined)
    return;
  if ('skip' in outcome) {
    const { skip } = outcome;
    if (skip === 'binary' || skip === 'generated') cache.learn({ path, handwritten, ...seen, outcome: { skip } });
    return;
  }
  if (outcome.functions === 'too_complex' || outcome.functions === 'crashed') return;
  cache.learn({ path, handwritten, ...seen, outcome });
}

async function ask(crew: Crew, file: FileToMeasure, signal: AbortSignal): Promise<MeterAnswer> {
  const answer = await crew.ask({ question: 'file', ...file }, signal);
  if (answer.question !== 'file') throw new TypeError(`A file was answered with '${answer.question}'.`);
  return answer.value;
}
