/** Asks git for the files of a work tree: tracked ones and untracked ones that no rule ignores. */
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
const LINK_MODE = '120000';
const SUBMODULE_MODE = '160000';

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
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const piece = chunk.subarray(start, end);
      accept(rest.length > 0 ? Buffer.concat([...rest, piece]) : piece);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(Buffer.from(chunk.subarray(start)));
  }

  /** `? path` for an untracked file, `H mode hash stage<TAB>path` for an entry of the index; conflicts come thrice. */
  function accept(row: Buffer): void {
    if (row[0] === 0x3f) {
      acceptUntracked(decodePath(row.subarray(2)));
      return;
    }
    const mode = row.toString('latin1', 2, 8);
    const path = decodePath(row.subarray(row.indexOf(0x09) + 1));
    if (mode === SUBMODULE_MODE) submodules.add(path);
    else if (mode === LINK_MODE) skips.set(path, { path, reason: 'symlink' });
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
