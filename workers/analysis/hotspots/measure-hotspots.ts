/**
 * Ranks files by how often they change and how complex they are. The entry of this folder; `docs/metrics.md` tells the
 * rules and their sources (A. Tornhill, "Your Code as a Crime Scene", 2015).
 */
import { lstatSync } from 'node:fs';
import { compareText } from '../counts.js';
import { encodePath, printablePath } from '../paths.js';
import { createTop } from '../top.js';
import { type History, type HistoryLimit, readHistory } from './history.js';

export type { HistoryLimit } from './history.js';

/** Where the history is longer only this many of its newest commits are read, unless the caller says otherwise. */
export const DEFAULT_MOST_COMMITS = 20_000;

const MOST_MS = 60_000;
const MOST_BYTES = 512 * 1024 * 1024;
const MOST_ROWS = 100;
/** How many files are looked at before others may run. */
const SLICE_FILES = 256;

/** What to rank, and how. */
export interface HotspotOptions {
  /** The absolute real path of a folder. */
  readonly root: string;
  /** As `listFiles` yields them. */
  readonly files: readonly string[];
  /** The complexity of a file, such as its number of decision points; undefined for what is no code, which is not ranked. */
  readonly complexityOf: (path: string) => number | undefined;
  /** Only commits made after this time count. Default: all of them. */
  readonly since?: Date | undefined;
  /** How many of the newest commits are read. Default 20,000. */
  readonly mostCommits?: number | undefined;
  /** How long git may take. Default a minute. */
  readonly mostMs?: number | undefined;
  /** How much git may print. Default 512 MiB. */
  readonly mostBytes?: number | undefined;
  /** How many hotspots the result names. Default 100. */
  readonly mostHotspots?: number | undefined;
  /** How many files each other list names. Default 100. */
  readonly mostRows?: number | undefined;
  /** On abort the promise rejects with its reason, and git is killed. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: HotspotProgress) => void) | undefined;
}

/** How many commits were read so far; how many there are is not known before the last. */
export interface HotspotProgress {
  readonly phase: 'hotspots';
  readonly done: number;
}

/** A file by its changes. */
export interface ChangedFile {
  readonly path: string;
  readonly commits: number;
  /** How many people made these commits. Who they are is not told. */
  readonly authors: number;
  /** When the newest of them was made, ISO 8601. */
  readonly lastChange: string;
}

/** A file that is both changed and complex. */
export interface Hotspot extends ChangedFile {
  readonly complexity: number;
  /** Commits times complexity. */
  readonly score: number;
}

/** A file by its size. */
export interface LargeFile {
  readonly path: string;
  readonly bytes: number;
}

/** A file that was not touched for long. */
export interface OldFile {
  readonly path: string;
  /** ISO 8601; absent where it is older than all that was read of the history. */
  readonly lastChange?: string | undefined;
}

/** How much history stands behind the figures. */
export interface HistoryFacts {
  /** `none` where the folder belongs to no repository, or git is missing: then nothing is ranked by changes. */
  readonly source: 'git' | 'none';
  readonly commits: number;
  readonly authors: number;
  /** The time of the oldest commit that was read, ISO 8601; absent where there is none. */
  readonly from?: string | undefined;
  /** Whether the clone lacks the older part of its history, so that old changes are missing here too. */
  readonly shallow: boolean;
  /** What ended the reading before the history did; absent where it was read to its end. */
  readonly limit?: HistoryLimit | undefined;
}

/** What was found; plain JSON. */
export interface Hotspots {
  readonly history: HistoryFacts;
  /** By score, highest first, then by path; files without changes or without complexity are not among them. */
  readonly hotspots: readonly Hotspot[];
  /** All hotspots, named or not. */
  readonly hotspotsFound: number;
  /** By number of commits, most first, then by path. */
  readonly mostChanged: readonly ChangedFile[];
  /** By bytes, largest first, then by path. */
  readonly largest: readonly LargeFile[];
  /** Tracked files by their last change, oldest first, then by path. */
  readonly oldest: readonly OldFile[];
}

/** Measures hotspots. */
export async function measureHotspots(options: HotspotOptions): Promise<Hotspots> {
  const { root, files, signal, onProgress } = options;
  const history = await readHistory({
    root,
    files,
    signal,
    since: options.since,
    mostCommits: options.mostCommits ?? DEFAULT_MOST_COMMITS,
    mostMs: options.mostMs ?? MOST_MS,
    mostBytes: options.mostBytes ?? MOST_BYTES,
    onCommits: (done) => onProgress?.({ phase: 'hotspots', done }),
  });
  const ranked = await rankFiles(options, history);
  return { history: factsOf(history), ...ranked, oldest: await oldestFiles(options, history) };
}

function factsOf(history: History | undefined): HistoryFacts {
  if (history === undefined) return { source: 'none', commits: 0, authors: 0, shallow: false };
  const { churn, shallow, limit } = history;
  const oldest = churn.oldest();
  const from = oldest === undefined ? {} : { from: isoTime(oldest) };
  const facts = { source: 'git' as const, commits: churn.commits(), authors: churn.authors(), ...from, shallow };
  return limit === undefined ? facts : { ...facts, limit };
}

/** All that is told of the listed files, in one pass. */
async function rankFiles(options: HotspotOptions, history: History | undefined) {
  const { root, files, signal, complexityOf, mostHotspots = MOST_ROWS, mostRows = MOST_ROWS } = options;
  const hotspots = createTop<Hotspot>(mostHotspots, (a, b) => b.score - a.score || compareText(a.path, b.path));
  const mostChanged = createTop<ChangedFile>(mostRows, (a, b) => b.commits - a.commits || compareText(a.path, b.path));
  const largest = createTop<LargeFile>(mostRows, (a, b) => b.bytes - a.bytes || compareText(a.path, b.path));
  let hotspotsFound = 0;
  await eachInSlices(files, signal, (path) => {
    const bytes = sizeOf(`${root}/${path}`);
    if (bytes !== undefined) largest.add({ path, bytes });
    const churn = history?.churn.of(path);
    if (churn === undefined) return;
    const changed = { path, ...churn, lastChange: isoTime(churn.lastChange) };
    mostChanged.add(changed);
    const complexity = complexityOf(path) ?? 0;
    if (complexity <= 0) return;
    hotspotsFound += 1;
    hotspots.add({ ...changed, complexity, score: changed.commits * complexity });
  });
  return {
    hotspots: hotspots.list().map(printable),
    hotspotsFound,
    mostChanged: mostChanged.list().map(printable),
    largest: largest.list().map(printable),
  };
}

interface Dated {
  readonly path: string;
  readonly time: number | undefined;
}

/** A tracked file that no commit touched is older than all that were read. */
async function oldestFiles({ signal, mostRows = MOST_ROWS }: HotspotOptions, history: History | undefined) {
  const oldest = createTop<Dated>(mostRows, (a, b) => (a.time ?? 0) - (b.time ?? 0) || compareText(a.path, b.path));
  await eachInSlices(history?.tracked ?? [], signal, (path) =>
    oldest.add({ path, time: history?.churn.of(path)?.lastChange }),
  );
  return oldest
    .list()
    .map(({ path, time }): OldFile => printable(time === undefined ? { path } : { path, lastChange: isoTime(time) }));
}

/** Does something with each item, and lets others run after every few; rejects with the signal's reason on abort. */
async function eachInSlices<Item>(
  items: Iterable<Item>,
  signal: AbortSignal,
  act: (item: Item) => void,
): Promise<void> {
  let done = 0;
  for (const item of items) {
    act(item);
    done += 1;
    if (done % SLICE_FILES !== 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}

function sizeOf(path: string): number | undefined {
  try {
    const stats = lstatSync(encodePath(path), { throwIfNoEntry: false });
    return stats?.isFile() ? stats.size : undefined;
  } catch {
    // What cannot be looked at any more has no size.
    return undefined;
  }
}

function printable<Row extends { readonly path: string }>(row: Row): Row {
  return { ...row, path: printablePath(row.path) };
}

/** A time that no calendar holds, as a forged commit may have, is the beginning of time. */
function isoTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
