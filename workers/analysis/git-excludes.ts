/** Finds the excludes git would apply besides .gitignore files, for work trees that git itself cannot list. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readPatterns } from './ignore-rules.js';

/** Where the rules of a work tree begin, and those that hold from there on. */
export interface GitExcludes {
  /** The top of the work tree; the scanned folder itself outside of any. */
  readonly base: string;
  /** Whether the scanned folder lies in a work tree at all. */
  readonly inWorkTree: boolean;
  /** Least important first: the user's excludes file, then the repository's. */
  readonly patterns: readonly string[];
}

/** What stands for git's words where a folder lies in no work tree. */
export const NO_WORK_TREE = 'no work tree';

/** Looks for the work tree around `root`. */
export function findGitExcludes(root: string): GitExcludes {
  for (let folder = root; ; folder = dirname(folder)) {
    const directory = gitDirectory(join(folder, '.git'));
    if (directory !== undefined) {
      const patterns = [userExcludes(directory), readPatterns(join(directory, 'info/exclude'))];
      return { base: folder, inWorkTree: true, patterns };
    }
    if (dirname(folder) === folder) return { base: root, inWorkTree: false, patterns: [] };
  }
}

/** A `.git` file points to the folder of a linked work tree, whose shared part holds the excludes. */
function gitDirectory(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  if (!stats?.isFile()) return undefined;
  const target = /^gitdir: (.+)$/m.exec(readPatterns(path))?.[1]?.trim();
  if (target === undefined) return undefined;
  const directory = resolve(dirname(path), target);
  return resolve(directory, readPatterns(join(directory, 'commondir')).trim());
}

function userExcludes(directory: string): string {
  const home = homedir();
  const configured = [join(directory, 'config'), join(home, '.gitconfig'), join(home, '.config/git/config')]
    .map((path) => /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readPatterns(path))?.[1])
    .find((value) => value !== undefined);
  const path = configured?.replace(/^~(?=\/)/, home) ?? join(home, '.config/git/ignore');
  return readPatterns(resolve(home, path));
}
