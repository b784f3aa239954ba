/** Which files of a tree count: git is the oracle, and the walk of our own must say the same. */
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, scan } from '../../../workers/analysis/scan.js';
import { plantRepository, plantTree, type Tree } from './trees.js';

const X = 'int x;\n';
const signal = new AbortController().signal;

interface Case {
  readonly tree: string;
  readonly files: Readonly<Record<string, string>>;
  readonly counted: readonly string[];
  readonly skipped: readonly string[];
}

/** Ground truth, "Trees, with git as the oracle"; the ignore files themselves are left out of the comparison. */
const CASES: readonly Case[] = [
  {
    tree: 'a nested rule takes a folder back that a rule above ignores',
    files: { '.gitignore': '**/vendor/\n', 'a/.gitignore': '!vendor\n', 'a/vendor/f.c': X, 'b/vendor/g.c': X },
    counted: ['a/vendor/f.c'],
    skipped: ['b/vendor/g.c'],
  },
  {
    tree: 'double stars match leading, inner and trailing folders',
    files: {
      '.gitignore': '**/ign\nfoo/**/bar.c\nabc/**\n',
      'x/ign': X,
      ign: X,
      'foo/bar.c': X,
      'foo/a/b/bar.c': X,
      'abc/d.c': X,
      'keep.c': X,
      'x/keep.c': X,
    },
    counted: ['keep.c', 'x/keep.c'],
    skipped: ['x/ign', 'ign', 'foo/bar.c', 'foo/a/b/bar.c', 'abc/d.c'],
  },
  {
    tree: 'matching is case-sensitive',
    files: { '.gitignore': '*.s\nBuild/\n', 'boot.S': X, 'build/a.c': X, 'low.s': X },
    counted: ['boot.S', 'build/a.c'],
    skipped: ['low.s'],
  },
  {
    tree: 'a leading slash anchors to the folder of the rule',
    files: { '.gitignore': '/coverage\n', 'src/routes/coverage/page.c': X, 'coverage/x.c': X },
    counted: ['src/routes/coverage/page.c'],
    skipped: ['coverage/x.c'],
  },
  {
    tree: 'a byte order mark and CRLF change nothing',
    files: { '.gitignore': '\uFEFFfirst.c\r\nsecond.c\r\n', 'first.c': X, 'second.c': X, 'third.c': X },
    counted: ['third.c'],
    skipped: ['first.c', 'second.c'],
  },
  {
    tree: 'trailing spaces fall away unless escaped, and escaped marks are plain',
    files: {
      '.gitignore': 'a.c   \nb.c\\ \n\\#c.c\n\\!d.c\n# e.c\n',
      'a.c': X,
      'b.c ': X,
      'b.c': X,
      '#c.c': X,
      '!d.c': X,
      'e.c': X,
    },
    counted: ['b.c', 'e.c'],
    skipped: ['a.c', 'b.c ', '#c.c', '!d.c'],
  },
  {
    tree: 'nothing is taken back from an ignored folder, but from an ignored content it is',
    files: {
      '.gitignore': 'dir/\n!dir/keep.c\ndir2/*\n!dir2/keep.c\n',
      'dir/keep.c': X,
      'dir2/keep.c': X,
      'dir2/drop.c': X,
    },
    counted: ['dir2/keep.c'],
    skipped: ['dir/keep.c', 'dir2/drop.c'],
  },
  {
    tree: 'classes, question marks and folders with special names',
    files: {
      '.gitignore': '[ab]?.c\n',
      'a1.c': X,
      'c1.c': X,
      '[x] y/.gitignore': 'in.c\n!a1.c\n',
      '[x] y/in.c': X,
      '[x] y/a1.c': X,
      'x/in.c': X,
    },
    counted: ['c1.c', '[x] y/a1.c', 'x/in.c'],
    skipped: ['a1.c', '[x] y/in.c'],
  },
  {
    tree: 'lines that hold nothing say nothing, in a nested file either',
    files: {
      '.gitignore': 'a/*\n!a/b\n',
      'a/b/.gitignore': '!\n!/\n/\n\t\nd.c  \r\n  \n',
      'a/b/c/e.c': X,
      'a/b/d.c': X,
    },
    counted: ['a/b/c/e.c'],
    skipped: ['a/b/d.c'],
  },
  {
    tree: 'a question mark and a class are one byte each',
    files: {
      '.gitignore': '?.c\n[!x].h\n??.d\n[\u00e0-\u00ef].e\n',
      'x.c': X,
      '\u00e4.c': X,
      '\u00e4.h': X,
      '\u00e4.d': X,
      'n/.gitignore': 'caf\u00e0\nr\r\r\n',
      'n/caf\u00e0': X,
      'n/r\r': X,
    },
    counted: ['\u00e4.c', '\u00e4.h'],
    skipped: ['x.c', '\u00e4.d', 'n/caf\u00e0', 'n/r\r'],
  },
];

const plain = (paths: readonly string[]) => paths.filter((path) => !path.endsWith('.gitignore')).sort();

describe('listing a tree', () => {
  it.each(CASES)('$tree', async ({ files, counted, skipped }) => {
    const tree = plantRepository(files);
    const listed = plain(await tree.list());

    expect(listed).toEqual([...counted].sort());
    expect(plain(tree.oracle())).toEqual(listed);
    expect(skipped.filter((path) => listed.includes(path))).toEqual([]);
  });

  it.each(CASES)('without git: $tree', async ({ files, counted }) => {
    expect(plain(await plantTree(files).list())).toEqual([...counted].sort());
  });

  it('holds to the rules above a folder that is listed alone', async () => {
    const tree = plantRepository({ '.gitignore': '*.log\n/sub/out\n', 'sub/a.c': X, 'sub/b.log': X, 'sub/out/c.c': X });

    expect(await listBelow(tree, 'sub')).toEqual(['a.c']);
    expect(await withoutGit(tree, 'sub')).toEqual(['a.c']);
  });

  it('holds to the excludes of the repository', async () => {
    const tree = plantRepository({ 'local.c': X, 'a.c': X });
    tree.write('.git/info/exclude', 'local.c\n');

    expect(await tree.list()).toEqual(['a.c']);
    expect(await withoutGit(tree)).toEqual(['a.c']);
  });

  it('counts a tracked file that a rule ignores', async () => {
    const tree = plantRepository({ '.gitignore': '*.c\n', 'tracked.c': X, 'untracked.c': X });
    tree.git('add', '-f', 'tracked.c');

    expect(await tree.list()).toEqual(['.gitignore', 'tracked.c']);
  });

  it('takes links for what they are and counts their target once', async () => {
    const tree = plantRepository({ 'real.c': X });
    symlinkSync('real.c', join(tree.root, 'one.c'));
    symlinkSync('real.c', join(tree.root, 'two.c'));
    tree.git('add', 'one.c');
    const walked = await listFiles({ root: tree.root, respectGitignore: false, signal });

    expect(walked.files).toEqual(['real.c']);
    expect(walked.skipped).toEqual([{ reason: 'symlink', files: 2, examples: ['one.c', 'two.c'] }]);
    expect((await listFiles({ root: tree.root, signal })).files).not.toContain('one.c');
  });

  it('enters the repositories in a folder that is none, each by its own rules', async () => {
    const tree = plantTree({
      'a.c': X,
      '.gitignore': 'c.c',
      'one/b.c': X,
      'one/c.c': X,
      'one/.gitignore': 'd.c',
      'one/d.c': X,
    });
    tree.git('init', '-q', 'one');
    const { files, submodules } = await listFiles({ root: tree.root, signal });

    expect(files).toEqual(['.gitignore', 'a.c', 'one/.gitignore', 'one/b.c', 'one/c.c']);
    expect(submodules).toEqual([]);
  });

  it('names submodules and other repositories within and does not enter them', async () => {
    const inner = plantRepository({ 'in.c': X });
    inner.git('add', '.');
    inner.git('commit', '-qm', 'in');
    const tree = plantRepository({ 'a.c': X, 'nested/b.c': X });
    tree.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'sub');
    tree.git('init', '-q', 'nested');
    tree.git('-C', 'nested', 'add', '.');
    const { files, submodules } = await listFiles({ root: tree.root, signal });

    expect(files).toEqual(['.gitmodules', 'a.c']);
    expect(submodules).toEqual(['nested', 'sub']);
  });

  it('lists all there is but git’s own folders when ignore rules are not to be respected', async () => {
    const tree = plantRepository({ '.gitignore': '*.o\n', 'a.o': X, 'b.c': X });

    expect(await tree.list({ respectGitignore: false })).toEqual(['.gitignore', 'a.o', 'b.c']);
  });

  it('narrows the list by globs, by base name where they hold no slash', async () => {
    const tree = plantTree({ 'a.ts': X, 'src/b.ts': X, 'src/c.js': X, 'test/d.ts': X, '.hidden/e.ts': X });

    expect(await tree.list({ include: ['*.ts'] })).toEqual(['.hidden/e.ts', 'a.ts', 'src/b.ts', 'test/d.ts']);
    expect(await tree.list({ include: ['src'] })).toEqual(['src/b.ts', 'src/c.js']);
    expect(await tree.list({ include: ['./src/*.ts', 'test/**'] })).toEqual(['src/b.ts', 'test/d.ts']);
    expect(await tree.list({ exclude: ['test/', '*.js', '.hidden'] })).toEqual(['a.ts', 'src/b.ts']);
  });

  it('takes a glob apart as git does, but for braces', async () => {
    const tree = plantTree({ 'a/b/c/d.ts': X, 'a/d.tsx': X, '[a].js': X, 'b.js': X });

    expect(await tree.list({ include: ['a/**/d.{ts,tsx}'] })).toEqual(['a/b/c/d.ts', 'a/d.tsx']);
    expect(await tree.list({ include: ['a/*/d.ts', 'a/?.tsx'] })).toEqual(['a/d.tsx']);
    expect(await tree.list({ include: ['[a-b].js'] })).toEqual(['b.js']);
    expect(await tree.list({ include: ['\\[a\\].js', '[', '\\', '{x'] })).toEqual(['[a].js']);
    expect(await tree.list({ include: ['{a,{b,c}}/**', '{[!b],x}.{j{s,t},k}'] })).toEqual(['a/b/c/d.ts', 'a/d.tsx']);
    expect(await tree.list({ exclude: ['.'] })).toEqual([]);
  });

  it('takes no longer for a glob of many stars, the caller’s or the tree’s', async () => {
    const glob = `${'*a'.repeat(20)}b`;
    const deep = `${'**/a/'.repeat(20)}b`;
    const tree = plantTree({
      [`${'a'.repeat(200)}`]: X,
      [`${'a/'.repeat(200)}c`]: X,
      '.gitattributes': `${glob} linguist-vendored\n${deep} linguist-vendored\n${glob} linguist-language=C\n`,
    });
    const before = process.cpuUsage();
    const listed = await tree.list({ exclude: [glob, deep, '{a,b}'.repeat(100)] });
    const { user, system } = process.cpuUsage(before);

    expect(listed).toHaveLength(3);
    // It takes some tens of milliseconds; where each star tries all that the ones before it left, it does not end.
    expect((user + system) / 1000).toBeLessThan(5_000);
  });

  it('lists a folder that an outer repository ignores as a whole', async () => {
    const tree = plantRepository({ '.gitignore': '*\n', 'inner/a.c': X });

    expect(await listBelow(tree, 'inner')).toEqual(['a.c']);
  });

  it('keeps names that are not UTF-8 through JSON', async () => {
    const tree = plantTree();
    const name = Buffer.concat([Buffer.from(`${tree.root}/caf`), Buffer.from([0xe9]), Buffer.from('.c')]);
    (await import('node:fs')).writeFileSync(name, X);
    const before = await tree.list();
    tree.git('init', '-q');
    const after = await tree.list();
    tree.write('.gitignore', Buffer.from('.gitignore\ncaf\xe9.*\n', 'latin1'));

    expect(before).toEqual(['caf\udce9.c']);
    expect(tree.oracle()).toEqual([]);
    expect(await withoutGit(tree)).toEqual([]);
    expect(after).toEqual(JSON.parse(JSON.stringify(before)));
  });

  it('skips vendored and generated files by name unless attributes say otherwise', async () => {
    const tree = plantRepository({
      'node_modules/p/index.js': X,
      'third_party/z.c': X,
      'lib/ours/vendor/own.c': X,
      'package-lock.json': '{}',
      'a.min.js': X,
      'gen/x.c': X,
      'a.c': X,
      '.gitattributes':
        'lib/ours/** -linguist-vendored\na.min.js linguist-generated=false\ngen/* linguist-generated\na.c linguist-vendored=false\n',
    });
    const { files, skipped } = await listFiles({ root: tree.root, signal });

    expect(files).toEqual(['.gitattributes', 'a.c', 'a.min.js', 'lib/ours/vendor/own.c']);
    expect(skipped.map(({ reason, examples }) => [reason, examples])).toEqual([
      ['generated', ['gen/x.c', 'package-lock.json']],
      ['vendored', ['node_modules/p/index.js', 'third_party/z.c']],
    ]);
  });

  it('waits for no pipe that git would read rules from', async () => {
    const tree = plantRepository({ 'a/b.c': X, 'c.c': X, '.gitattributes': '' });
    const pipes = ['.git/info/exclude', '.gitignore', 'a/.gitignore'];
    rmSync(join(tree.root, '.git/info/exclude'), { force: true });
    execFileSync('mkfifo', pipes, { cwd: tree.root });
    const { files, skipped } = await listFiles({ root: tree.root, signal });

    expect(files).toEqual(['.gitattributes', 'a/b.c', 'c.c']);
    expect(skipped).toEqual([{ reason: 'fifo', files: 2, examples: ['.gitignore', 'a/.gitignore'] }]);
  });

  it('accounts for every file git lists, scanned or skipped', async () => {
    const tree = plantRepository({
      'vendor/v.c': X,
      'yarn.lock': X,
      'a.c': X,
      'b/c.py': X,
      '.gitignore': '*.tmp\n',
      'd.tmp': X,
    });
    symlinkSync('a.c', join(tree.root, 'l.c'));
    tree.git('add', '.');
    const { files, skipped } = await listFiles({ root: tree.root, signal });

    expect(files.length + skipped.reduce((sum, row) => sum + row.files, 0)).toBe(tree.oracle().length);
  });

  it.each([plantTree, plantRepository])(
    'counts hidden, vendored and generated files as it is asked to (%s)',
    async (plant) => {
      const marked = '// Code generated by x. DO NOT EDIT.\npackage a\n';
      const tree = plant({
        'a.c': X,
        '.b/c.c': X,
        '.d.c': X,
        '.DS_Store': '\0',
        'vendor/e.c': X,
        'yarn.lock': 'x\n',
        'f.go': marked,
      });
      const seen = async (classes?: ('hidden' | 'vendored' | 'generated')[]) => {
        const { byExtension, skipped, hidden, totals } = await scan({
          root: tree.root,
          signal,
          ...(classes && { classes }),
        });
        expect(byExtension.reduce((sum, row) => sum + row.files, 0)).toBe(totals.files);
        return [totals.files, hidden, ...skipped.map(({ reason, files }) => `${files} ${reason}`)];
      };

      expect(await seen()).toEqual([3, 2, '1 binary', '2 generated', '1 vendored']);
      expect(await seen([])).toEqual([1, 0, '2 generated', '3 hidden', '1 vendored']);
      expect(await seen(['vendored'])).toEqual([2, 0, '2 generated', '3 hidden']);
      expect(await seen(['generated', 'hidden'])).toEqual([5, 2, '1 binary', '1 vendored']);
      expect(await seen(['generated', 'hidden', 'vendored'])).toEqual([6, 2, '1 binary']);
    },
  );
});

async function listBelow(tree: Tree, folder: string): Promise<readonly string[]> {
  return (await listFiles({ root: join(tree.root, folder), signal })).files;
}

/** Breaks the repository for git but not for the rules: without a HEAD git knows no work tree. */
async function withoutGit(tree: Tree, folder = ''): Promise<readonly string[]> {
  rmSync(join(tree.root, '.git/HEAD'));
  return listBelow(tree, folder);
}
