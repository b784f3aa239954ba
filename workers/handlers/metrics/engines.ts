/** Runs the engine of each metric on a listed tree, and says what its figures lack. */
import { count, counted } from '../../../src/core/figures.js';
import type { Figures, MetricName } from '../../../src/tools/metrics.js';
import {
  type ComplexityCache,
  type ComplexityResult,
  type ComplexityTally,
  createComplexityTally,
  type MeasuredFile,
  measureEach,
} from '../../analysis/complexity/measure-complexity.js';
import { measureCoverage } from '../../analysis/coverage/measure.js';
import { measureDependencies } from '../../analysis/dependencies/measure.js';
import { type Duplication, measureDuplication } from '../../analysis/duplication/measure-duplication.js';
import { type HistoryFacts, measureHotspots } from '../../analysis/hotspots/measure-hotspots.js';
import type { FileList } from '../../analysis/scan.js';
import type { Crew } from '../../analysis/syntax/crew.js';
import {
  complexityFigures,
  coverageFigures,
  dependencyFigures,
  duplicationFigures,
  hotspotFigures,
} from './figures.js';
import { cloneTable, coverageTable, dependencyTable, functionTable, hotspotTable, type MetricTable } from './tables.js';

/** What is measured, and how. */
export interface MetricWork {
  readonly root: string;
  readonly list: Pick<FileList, 'files' | 'handwritten'>;
  readonly maxFileBytes?: number | undefined;
  readonly minLines?: number | undefined;
  readonly minTokens?: number | undefined;
  readonly maxCommits?: number | undefined;
  /** Threads at most; undefined to let files and processors decide. */
  readonly threads?: number | undefined;
  /** Threads that parse, which all measurements of a process share; without them complexity starts its own. */
  readonly crew?: Crew | undefined;
  /** What complexity need not measure again. */
  readonly cache?: ComplexityCache | undefined;
  readonly signal: AbortSignal;
}

/** Hears how much of a metric is done, of 1, and in words. */
export type OnShare = (share: number, message: string) => void;

/** What a metric came to. */
export interface Ran<Name extends MetricName> {
  readonly figures: Figures<Name>;
  /** What the figures lack, in a sentence; absent if nothing. */
  readonly missing?: string | undefined;
  /** What is too much for the figures. */
  readonly table: MetricTable;
}

/** Decision points by file, in the order of the list; zero for what is no code. */
export type Decisions = readonly number[];

/** Reading so many commits brings the share of history halfway to its end, which is not known before it is reached. */
const COMMITS_HALFWAY = 5_000;
/** No text is this small: files are measured by their tokens alone. */
const NO_PARSE = -1;

/** Creates the tally of complexity that its figures and its table of functions take. */
export function createMetricTally(): ComplexityTally {
  return createComplexityTally({ functions: MOST_HARDEST, files: MOST_FILES });
}

/** Adds up complexity, and takes the decision points by file, which hotspots need; `onFile` is waited for after each file. */
export async function tallyComplexity(
  work: MetricWork,
  onShare: OnShare,
  onFile: (file: MeasuredFile) => Promise<void>,
): Promise<{ tally: ComplexityTally; decisions: Decisions }> {
  const tally = createMetricTally();
  const decisions: number[] = [];
  for await (const file of measureEach(complexityOptions(work, onShare))) {
    tally.add(file);
    decisions.push('skip' in file ? 0 : file.decisions);
    await onFile(file);
  }
  return { tally, decisions };
}

/** What all files together came to. */
export function complexityOf(result: ComplexityResult): Ran<'complexity'> {
  return { figures: complexityFigures(result), missing: unparsedText(result), table: functionTable(result) };
}

/** Files that a result may name as the hardest. */
const MOST_FILES = 50;
/** Rows of the table of functions, and of that of hotspots. */
const MOST_HARDEST = 5_000;

function unparsedText({ unparsed }: ComplexityResult): string | undefined {
  const files = unparsed.reduce((sum, row) => sum + row.files, 0);
  if (files === 0) return undefined;
  const reasons = unparsed.map((row) => `${count(row.files)} ${row.reason}`).join(', ');
  return `The functions of ${counted(files, 'file')} are not known (${reasons}); their decision points are.`;
}

/** Decision points by file alone, without any parsing. */
export async function runDecisions(work: MetricWork, onShare: OnShare): Promise<Decisions> {
  const decisions: number[] = [];
  const { limits, ...options } = complexityOptions(work, onShare);
  for await (const file of measureEach({ ...options, limits: { ...limits, maxParseBytes: NO_PARSE } }))
    decisions.push('skip' in file ? 0 : file.decisions);
  return decisions;
}

function complexityOptions({ root, list, signal, maxFileBytes, threads, crew, cache }: MetricWork, onShare: OnShare) {
  const all = count(list.files.length);
  return {
    root,
    ...list,
    signal,
    limits: { maxFileBytes, threads },
    crew,
    cache,
    onProgress: ({ done, total }: { readonly done: number; readonly total: number }) =>
      onShare(done / total, `Complexity: ${count(done)} of ${all} files`),
  };
}

/** Duplication. */
export async function runDuplication(work: MetricWork, onShare: OnShare): Promise<Ran<'duplication'>> {
  const { root, list, signal, maxFileBytes, minLines, minTokens, threads } = work;
  const result = await measureDuplication({
    root,
    ...list,
    minLines,
    minTokens,
    maxFileBytes,
    threads,
    mostClones: MOST_CLONES,
    signal,
    onProgress: ({ done, total }) =>
      onShare(done / total, `Duplication: ${count(done)} of ${count(total)} readings of files`),
  });
  return { figures: duplicationFigures(result), missing: boundsText(result), table: cloneTable(result) };
}

const MOST_CLONES = 1_000;

function boundsText({ complete, bounds }: Duplication): string | undefined {
  if (complete) return undefined;
  const { sampledOneIn, crowdedFingerprints, cutFiles, lostPairs } = bounds;
  const hit = [
    sampledOneIn > 1 ? `only one in ${sampledOneIn} repeated fingerprints was looked at` : '',
    crowdedFingerprints > 0 ? `${count(crowdedFingerprints)} places resemble too many others` : '',
    cutFiles > 0 ? `${count(cutFiles)} files were compared in part` : '',
    lostPairs > 0 ? `${count(lostPairs)} pairs found no room` : '',
  ].filter((text) => text !== '');
  return `Some clones may be missing, since a bound was hit: ${hit.join('; ')}.`;
}

/** Dependencies. */
export async function runDependencies(
  { root, list, signal }: MetricWork,
  onShare: OnShare,
): Promise<Ran<'dependencies'>> {
  const report = await measureDependencies({
    root,
    files: list.files,
    signal,
    onProgress: ({ done, total }) =>
      onShare(done / total, `Dependencies: ${count(done)} of ${count(total)} manifests and lock files`),
  });
  return {
    figures: dependencyFigures(report),
    missing: problemsText(report.problemsTotal),
    table: dependencyTable(report),
  };
}

/** Coverage. */
export async function runCoverage({ root, list, signal }: MetricWork, onShare: OnShare): Promise<Ran<'coverage'>> {
  const result = await measureCoverage({
    root,
    files: list.files,
    signal,
    onProgress: ({ done, total }) => onShare(done / total, `Coverage: ${count(done)} of ${count(total)} reports`),
  });
  const cutOff = result.searchCutOff ? 'There are too many folders to search all for reports.' : undefined;
  return {
    figures: coverageFigures(result),
    missing: problemsText(result.problemsTotal) ?? cutOff,
    table: coverageTable(result),
  };
}

function problemsText(problems: number): string | undefined {
  return problems === 0
    ? undefined
    : `${counted(problems, 'problem')} kept files from being read in full; see problems.`;
}

/** Hotspots. */
export async function runHotspots(
  { root, list, signal, maxCommits }: MetricWork,
  decisions: Decisions,
  onShare: OnShare,
): Promise<Ran<'hotspots'>> {
  const byPath = new Map(list.files.map((path, index) => [path, decisions[index]]));
  const result = await measureHotspots({
    root,
    files: list.files,
    complexityOf: (path) => byPath.get(path),
    mostCommits: maxCommits,
    mostHotspots: MOST_HARDEST,
    signal,
    onProgress: ({ done }) => onShare(done / (done + COMMITS_HALFWAY), `Hotspots: ${count(done)} commits read`),
  });
  return { figures: hotspotFigures(result), missing: historyText(result.history), table: hotspotTable(result) };
}

function historyText({ source, shallow, limit }: HistoryFacts): string | undefined {
  if (source === 'none')
    return 'The folder is in no git repository, or git is missing: only the largest files are named.';
  if (limit !== undefined) return `The history was not read to its end: ${LIMITS[limit]}.`;
  return shallow ? 'The clone is shallow: changes older than its history are not counted.' : undefined;
}

const LIMITS = {
  commits: 'it has more commits than max_commits allows',
  time: 'git took too long',
  output: 'git printed too much',
  failed: 'git gave up',
} as const;
