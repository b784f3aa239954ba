/** Walks a tree without git: synchronous, for a worker thread; never enters links or git's own folders. */
import { type Dirent, readdirSync } from 'node:fs';
import type { Settling } from './cache/look-again.js';
import { createWatch, type Watched } from './cache/watch.js';
import type { Skip } from './count-chunk.js';
import { compareText, type SkipReason } from './counts.js';
import { createIgnoreRules, type IgnoreRules, readPatterns } from './ignore-rules.js';
import type { Listing } from './listing.js';
import { decodePath, encodePath } from './paths.js';

/** What to walk and by which rules. */
export interface WalkOptions {
  readonly root: string;
  readonly respectGitignore: boolean;
  /** Patterns that hold from `base` on, least important first: the user's and the repository's own excludes. */
  readonly patterns: readonly string[];
  /** The top of the work tree that holds the root: .gitignore files count from there down. */
  readonly base: string;
  /** When and by which rule what decides the listing must have been left alone, for whoever wants to know it again. */
  readonly prove?: Settling | undefined;
}

/** What a walk found, and by what it can be known again. */
export interface Walked {
  readonly listing: Listing;
  /** Folders and files with rules; absent where nobody asked, or one of them may change unseen. */
  readonly watched?: Watched | undefined;
}

/** What a folder holds, by its exact name. */
export type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>;

interface Folder {
  /** Relative to the root; empty or ending in a slash. */
  readonly path: string;
  readonly rules: IgnoreRules | undefined;
}

/** Lists a tree; the files come sorted, here where it holds up nobody. */
export function walkTree({ root, respectGitignore, patterns, base, prove }: WalkOptions): Walked {
  const watch = prove && createWatch(root, prove);
  const files: string[] = [];
  const skips: Skip[] = [];
  const submodules: string[] = [];
  const prefix = root === base ? '' : `${root.slice(base.length).replace(/^\//, '')}/`;
  const stack: Folder[] = [{ path: '', rules: respectGitignore ? rulesAbove(base, prefix, patterns) : undefined }];

  function visit(folder: Folder): void {
    // Before it is read: what changes in it meanwhile shows then.
    watch?.folder(folder.path);
    const entries = readFolder(`${root}/${folder.path}`);
    if (entries === undefined) {
      skips.push({ path: folder.path, reason: 'unreadable' });
      return;
    }
    if (folder.path !== '' && respectGitignore && holds(entries, '.git')) {
      submodules.push(folder.path.slice(0, -1));
      return;
    }
    watch?.rulesAmong(entries, folder.path);
    const rules = holds(entries, '.gitignore') ? rulesWithin(folder) : folder.rules;
    for (const entry of entries) sort(entry, folder.path, rules);
  }

  function rulesWithin({ path, rules }: Folder): IgnoreRules | undefined {
    return rules?.below(`${prefix}${path}`.replace(/\/$/, ''), readPatterns(`${root}/${path}.gitignore`));
  }

  function sort(entry: Entry, parent: string, rules: IgnoreRules | undefined): void {
    const { name } = entry;
    const path = parent + name;
    const isFolder = entry.isDirectory();
    if (isFolder && name === '.git') return;
    if (rules?.excludes(`${prefix}${path}${isFolder ? '/' : ''}`)) return;
    if (isFolder) stack.push({ path: `${path}/`, rules });
    else if (entry.isFile()) files.push(path);
    else skips.push({ path, reason: reasonOf(entry) });
  }

  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) visit(folder);
  return { listing: { files: files.sort(compareText), skips, submodules }, watched: watch?.result() };
}

/** The rules of the folders from the top of the work tree down to, but not including, the root's own. */
function rulesAbove(base: string, prefix: string, patterns: readonly string[]): IgnoreRules {
  let rules = createIgnoreRules(patterns);
  let folder = '';
  for (const part of prefix.split('/').filter((name) => name !== '')) {
    rules = rules.below(folder, readPatterns(`${base}/${folder === '' ? '' : `${folder}/`}.gitignore`));
    folder = folder === '' ? part : `${folder}/${part}`;
  }
  return rules;
}

function holds(entries: readonly Entry[], name: string): boolean {
  return entries.some((entry) => entry.name === name);
}

/** The entries of a folder, undefined when it cannot be read. Names are read as text; only a folder that holds one that is not UTF-8 is read again as bytes, which is slow. */
export function readFolder(path: string): Entry[] | undefined {
  const folder = encodePath(path);
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (!entries.some((entry) => entry.name.includes('\ufffd'))) return entries;
    const exact = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
    return exact.map((entry) => withName(entry, decodePath(entry.name)));
  } catch {
    return undefined;
  }
}

function withName(entry: Dirent<Buffer>, name: string): Entry {
  return {
    name,
    isDirectory: () => entry.isDirectory(),
    isFile: () => entry.isFile(),
    isSymbolicLink: () => entry.isSymbolicLink(),
    isFIFO: () => entry.isFIFO(),
    isSocket: () => entry.isSocket(),
  };
}

/** Why an entry that is no regular file is skipped. */
export function reasonOf(entry: Entry): SkipReason {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isFIFO()) return 'fifo';
  return entry.isSocket() ? 'socket' : 'device';
}
