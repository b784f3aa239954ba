/** Asks git for the files of a work tree: tracked ones and untracked ones that no rule ignores. */
import { isAscii } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Skip } from './count-chunk.js';
import type { Listing } from './listing.js';
import { decodePath } from './paths.js';
import { watchForStall } from './stalled-process.js';

/**
 * A repository is input like any other: whoever owns it, none of its programs may run (fsmonitor) and nothing may be
 * written (optional locks). `-t` and `-s` tell index entries, whose mode is known, from untracked files.
 */
const ARGUMENTS = [
  '--no-optional-locks',
  ...['safe.directory=*', 'core.fsmonitor=false', 'core.untrackedCache=false'].flatMap((setting) => ['-c', setting]),
  ...['ls-files', '-z', '-t', '-s', '--cached', '--others', '--exclude-standard'],
];
/** A surrounding git command, such as one that runs us from a hook, leaves variables that point to another repository. */
const COMMAND = [
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_NAMESPACE'].flatMap((name) => [
    '-u',
    name,
  ]),
  'git',
  ...ARGUMENTS,
];
const QUESTION_MARK = 0x3f;
const TAB = 0x09;
/** The second digits of the modes 120000 and 160000; files have 100644 or 100755. */
const LINK = 0x32;
const SUBMODULE = 0x36;

/** What to list. */
export interface GitListOptions {
  readonly root: string;
  readonly signal: AbortSignal;
  /** Hears how many paths have come so far. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** What git listed, and a digest of its words: the same words always mean the same listing. */
export interface GitListing extends Listing {
  readonly digest: string;
}

/**
 * Lists a tree through git; undefined where git is missing, fails, waits in vain or knows no work tree there. Rejects with the signal's
 * reason on abort, having killed git.
 */
export async function listWithGit({ root, signal, onProgress }: GitListOptions): Promise<GitListing | undefined> {
  const parser = createParser();
  const digest = await readGit({ root, signal }, (chunk) => {
    parser.push(chunk);
    onProgress?.(parser.found());
  });
  return digest === undefined ? undefined : { ...parser.listing(), digest };
}

/** The digest alone, of whoever knows what it stands for; otherwise as `listWithGit`. */
export async function digestOfGitList({ root, signal }: GitListOptions): Promise<string | undefined> {
  return readGit({ root, signal }, () => undefined);
}

/** Runs git and passes on what it writes; resolves with the digest of that, undefined where git fails. */
async function readGit({ root, signal }: GitListOptions, take: (chunk: Buffer) => void): Promise<string | undefined> {
  signal.throwIfAborted();
  const hash = createHash('sha256');
  const child = spawn('env', COMMAND, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  // A pipe in the place of a .gitignore would be waited for without end; our own walk passes it by.
  const watch = watchForStall(child.pid, () => child.kill('SIGKILL'));
  child.stdout.on('data', (chunk: Buffer) => {
    watch.touch();
    hash.update(chunk);
    take(chunk);
  });
  const status = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  watch.end();
  signal.throwIfAborted();
  return status === 0 ? hash.digest('base64url') : undefined;
}

interface Parser {
  push(chunk: Buffer): void;
  found(): number;
  listing(): Listing;
}

function createParser(): Parser {
  const files = new Set<string>();
  const skips = new Map<string, Skip>();
  const submodules = new Set<string>();
  let rest: Buffer[] = [];

  function push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(0);
    if (end >= 0) {
      const rows = rest.length > 0 ? Buffer.concat([...rest, chunk.subarray(0, end)]) : chunk.subarray(0, end);
      readRows(rows, accept);
      rest = [];
    }
    if (end + 1 < chunk.length) rest.push(Buffer.from(chunk.subarray(end + 1)));
  }

  /** `? path` for an untracked file, `H mode hash stage<TAB>path` for an entry of the index; conflicts come thrice. */
  function accept(rows: Buffer, start: number, pathFrom: (from: number) => string): void {
    if (rows[start] === QUESTION_MARK) {
      acceptUntracked(pathFrom(start + 2));
      return;
    }
    const path = pathFrom(rows.indexOf(TAB, start) + 1);
    // A mode begins with the kind of the entry, in two octal digits.
    const kind = rows[start + 3];
    if (kind === SUBMODULE) submodules.add(path);
    else if (kind === LINK) skips.set(path, { path, reason: 'symlink' });
    else files.add(path);
  }

  /** A path that ends in a slash is a repository within the work tree. */
  function acceptUntracked(path: string): void {
    if (path.endsWith('/')) submodules.add(path.slice(0, -1));
    else files.add(path);
  }

  return {
    push,
    found: () => files.size,
    listing: () => ({ files: [...files], skips: [...skips.values()], submodules: [...submodules] }),
  };
}

/** Takes a row of those that begin here, and what reads its path. */
type Accept = (rows: Buffer, start: number, pathFrom: (from: number) => string) => void;

function readRows(rows: Buffer, accept: Accept): void {
  // Nearly all names are ASCII, which is quicker to read.
  const pathAt = isAscii(rows)
    ? (start: number, end: number) => rows.toString('latin1', start, end)
    : (start: number, end: number) => decodePath(rows.subarray(start, end));
  for (let start = 0; start < rows.length; ) {
    const found = rows.indexOf(0, start);
    const end = found < 0 ? rows.length : found;
    accept(rows, start, (from) => pathAt(from, end));
    start = end + 1;
  }
}
