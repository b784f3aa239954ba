/** Builds throw-away trees and asks git about them; shared by the suites of the analysis. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ListOptions, listFiles } from '../../../workers/analysis/scan.js';

/** One tree on disk, removed when its test ends. */
export interface Tree {
  readonly root: string;
  /** Writes a file and the folders above it. */
  write(path: string, content?: string | Buffer): void;
  git(...args: string[]): string;
  /** What git calls the files of the tree. */
  oracle(): string[];
  /** What the analysis lists. */
  list(options?: Partial<ListOptions>): Promise<string[]>;
}

const CONFIG = ['user.name=T', 'user.email=t@example.org', 'init.defaultBranch=main', 'core.excludesFile='];

/** Creates a tree with the given files; those without content hold one line of C. */
export function plantTree(files: Readonly<Record<string, string | Buffer>> = {}): Tree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'analysis-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, content: string | Buffer = 'int x;\n'): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  function git(...args: string[]): string {
    const settings = CONFIG.flatMap((setting) => ['-c', setting]);
    return execFileSync('git', [...settings, ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
  function oracle(): string[] {
    const paths = git('ls-files', '-co', '--exclude-standard', '-z').split('\0').filter(Boolean);
    return [...new Set(paths)].sort();
  }
  async function list(options: Partial<ListOptions> = {}): Promise<string[]> {
    const { files } = await listFiles({ root, signal: new AbortController().signal, ...options });
    return [...files];
  }

  for (const [path, content] of Object.entries(files)) write(path, content);
  return { root, write, git, oracle, list };
}

/** A tree that is a git work tree. */
export function plantRepository(files: Readonly<Record<string, string | Buffer>> = {}): Tree {
  const tree = plantTree(files);
  tree.git('init', '-q');
  return tree;
}
