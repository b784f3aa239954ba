/** Reads the history of a folder from git, as far back as its bounds allow, and says how far that was. */
import { readFile } from 'node:fs/promises';
import { decodePath } from '../paths.js';
import { type ChurnTable, createChurnTable } from './churn.js';
import { createLogParser, HEADER_FORMAT } from './commit-log.js';
import { readGit, runGit } from './run-git.js';

/** How much history to read. */
export interface HistoryOptions {
  readonly root: string;
  readonly files: readonly string[];
  /** Only commits made after this time. */
  readonly since?: Date | undefined;
  readonly mostCommits: number;
  readonly mostMs: number;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  readonly onCommits?: ((commits: number) => void) | undefined;
}

/** What ended the reading before the history did; `failed` where git gave up, as it does when the repository lacks objects. */
export type HistoryLimit = 'commits' | 'time' | 'output' | 'failed';

/** A read history. */
export interface History {
  readonly churn: ChurnTable;
  /** Files in git's index: others have no history. */
  readonly tracked: ReadonlySet<string>;
  /** Whether the clone was made without the older part of its history. */
  readonly shallow: boolean;
  readonly limit: HistoryLimit | undefined;
}

const MOST_FACTS = 1 << 16;
const MOST_GRAFTS = 1 << 20;

/** Reads; undefined where there is no repository or no git. Rejects with the signal's reason on abort, having killed git. */
export async function readHistory(options: HistoryOptions): Promise<History | undefined> {
  const { root, files, signal } = options;
  const facts = await readGit({
    root,
    signal,
    mostBytes: MOST_FACTS,
    arguments: [
      'rev-parse',
      '--is-inside-work-tree',
      '--is-shallow-repository',
      '--path-format=absolute',
      '--git-path',
      'shallow',
    ],
  });
  const [inside, shallow, shallowFile = ''] = facts?.split('\n') ?? [];
  if (inside !== 'true') return undefined;
  const tracked = await listTracked(options);
  const edge = shallow === 'true' ? await readEdge(shallowFile) : new Set<string>();
  const churn = createChurnTable(files);
  // Before the first commit there is no log to read.
  const head = await readGit({
    root,
    signal,
    mostBytes: MOST_FACTS,
    arguments: ['rev-parse', '--verify', '-q', 'HEAD'],
  });
  const limit = head === undefined ? undefined : await readLog(options, churn, edge);
  return { churn, tracked, shallow: shallow === 'true', limit };
}

/** The commits at which a shallow clone begins look as if they had created every file; what they did is not known. */
async function readEdge(path: string): Promise<ReadonlySet<string>> {
  const text = await readFile(path, 'latin1').catch(() => '');
  return new Set(text.slice(0, MOST_GRAFTS).split('\n'));
}

async function listTracked({ root, files, signal }: HistoryOptions): Promise<ReadonlySet<string>> {
  const wanted = new Set(files);
  const tracked = new Set<string>();
  let rest: Buffer = Buffer.alloc(0);
  await runGit({
    root,
    signal,
    arguments: ['ls-files', '-z', '--cached'],
    take(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
        const path = decodePath(bytes.subarray(start, end));
        if (wanted.has(path)) tracked.add(path);
        start = end + 1;
      }
      rest = bytes.subarray(start);
      return true;
    },
  });
  return tracked;
}

async function readLog(
  options: HistoryOptions,
  churn: ChurnTable,
  edge: ReadonlySet<string>,
): Promise<HistoryLimit | undefined> {
  const { mostCommits, mostBytes, mostMs, onCommits } = options;
  let limit: HistoryLimit | undefined;
  let counts = false;
  let bytes = 0;
  const parser = createLogParser({
    onCommit(commit) {
      if (churn.commits() >= mostCommits) limit = 'commits';
      counts = limit === undefined && !edge.has(commit.hash);
      if (counts) churn.begin(commit);
    },
    onChange: (path) => counts && churn.touch(path),
    onMove: (from, to) => counts && churn.move(from, to),
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), mostMs);
  const take = (chunk: Buffer) => {
    parser.push(chunk);
    onCommits?.(churn.commits());
    bytes += chunk.length;
    if (bytes > mostBytes) limit ??= 'output';
    return limit === undefined;
  };
  try {
    const signal = AbortSignal.any([options.signal, late.signal]);
    const done = await runGit({ root: options.root, signal, arguments: logArguments(options), take });
    if (!done) limit ??= 'failed';
  } catch (error) {
    if (options.signal.aborted || !late.signal.aborted) throw error;
    limit ??= 'time';
  } finally {
    clearTimeout(timer);
  }
  return limit;
}

/**
 * Moves are told by the content's hash alone, for which git reads no content. `--relative` gives paths as the caller has
 * them where the folder is only a part of the repository.
 */
function logArguments({ since }: HistoryOptions): string[] {
  return [
    'log',
    '-z',
    '--no-merges',
    '--name-status',
    '--find-renames=100%',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--no-notes',
    '--no-show-signature',
    '--ignore-submodules=all',
    '--relative',
    HEADER_FORMAT,
    ...(since === undefined ? [] : [`--since=${since.toISOString()}`]),
    'HEAD',
    '--',
    '.',
  ];
}
