/** Hotspots: real repositories, made here, tell what changed how often and what is never to be told. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogParser } from '../../../workers/analysis/hotspots/commit-log.js';
import {
  type HotspotOptions,
  type Hotspots,
  measureHotspots,
} from '../../../workers/analysis/hotspots/measure-hotspots.js';
import { plantRepository, plantTree, type Tree } from './trees.js';

const never = new AbortController().signal;
const DAY = 24 * 3600;
/** The time of a day's commit: 2024 began at this second. */
const BEGIN = 1_704_067_200;

interface Author {
  readonly name: string;
  readonly mail: string;
}

const ann = { name: 'Ann', mail: 'ann@example.org' };
const bob = { name: 'Bob', mail: 'bob@example.org' };

/** Writes files and commits them all; `day` counts from the beginning of 2024. */
function commit(
  tree: Tree,
  files: Readonly<Record<string, string>>,
  { day = 0, by = ann }: { day?: number; by?: Author } = {},
): void {
  for (const [path, content] of Object.entries(files)) tree.write(path, content);
  tree.git('add', '-A');
  gitAt(tree, { day, by }, 'commit', '-q', '--allow-empty', '-m', 'x');
}

function gitAt(tree: Tree, { day, by }: { day: number; by: Author }, ...args: readonly string[]): void {
  const date = `${BEGIN + day * DAY} +0000`;
  const person = ['-c', `user.name=${by.name}`, '-c', `user.email=${by.mail}`];
  execFileSync('env', [`GIT_COMMITTER_DATE=${date}`, `GIT_AUTHOR_DATE=${date}`, 'git', ...person, ...args], {
    cwd: tree.root,
    stdio: 'pipe',
  });
}

async function measure(root: Tree | string, options: Partial<HotspotOptions> = {}): Promise<Hotspots> {
  const folder = typeof root === 'string' ? root : root.root;
  const files = options.files ?? (typeof root === 'string' ? [] : await root.list());
  return measureHotspots({ root: folder, complexityOf: () => 1, signal: never, ...options, files });
}

const changes = ({ mostChanged }: Hotspots) =>
  mostChanged.map(({ path, commits, authors }) => `${path} ${commits} ${authors}`);

/** `a` changed thrice by two people, `b` once, `c` never since the first day. */
function plantHistory(): Tree {
  const tree = plantRepository();
  commit(tree, { 'a.c': '1', 'b.c': '1', 'c.c': '1' });
  commit(tree, { 'a.c': '2' }, { day: 1, by: bob });
  commit(tree, { 'a.c': '3', 'b.c': '2' }, { day: 2 });
  return tree;
}

describe('a hotspot', () => {
  it('is a file by its commits times its complexity', async () => {
    const complexity: Record<string, number> = { 'a.c': 2, 'b.c': 10 };
    const { hotspots, hotspotsFound } = await measure(plantHistory(), { complexityOf: (path) => complexity[path] });
    expect(hotspots).toEqual([
      { path: 'b.c', commits: 2, authors: 1, lastChange: '2024-01-03T00:00:00.000Z', complexity: 10, score: 20 },
      { path: 'a.c', commits: 3, authors: 2, lastChange: '2024-01-03T00:00:00.000Z', complexity: 2, score: 6 },
    ]);
    expect(hotspotsFound).toBe(2);
  });

  it('comes with the most changed, the largest and the oldest files', async () => {
    const tree = plantHistory();
    tree.write('new.c', 'not yet committed');
    const result = await measure(tree);
    expect(changes(result)).toEqual(['a.c 3 2', 'b.c 2 1', 'c.c 1 1']);
    expect(result.largest[0]).toEqual({ path: 'new.c', bytes: 17 });
    expect(result.oldest.map(({ path, lastChange }) => `${path} ${lastChange?.slice(0, 10)}`)).toEqual([
      'c.c 2024-01-01',
      'a.c 2024-01-03',
      'b.c 2024-01-03',
    ]);
    expect(result.history).toEqual({
      source: 'git',
      commits: 3,
      authors: 2,
      from: '2024-01-01T00:00:00.000Z',
      shallow: false,
    });
  });

  it('takes its paths from the measured folder, which may be a part of the repository', async () => {
    const tree = plantRepository();
    commit(tree, { 'in/a.c': '1', 'out.c': '1' });
    commit(tree, { 'in/a.c': '2' }, { day: 1 });
    commit(tree, { 'out.c': '2' }, { day: 2 });
    const result = await measure(join(tree.root, 'in'), { files: ['a.c'] });
    expect(changes(result)).toEqual(['a.c 2 1']);
    expect(result.history.commits).toBe(2);
  });
});

describe('a commit', () => {
  it('that merges others does not count', async () => {
    const tree = plantHistory();
    tree.git('checkout', '-q', '-b', 'side', 'HEAD~1');
    commit(tree, { 'c.c': '2' }, { day: 3, by: bob });
    tree.git('checkout', '-q', 'main');
    gitAt(tree, { day: 4, by: ann }, 'merge', '-q', '--no-ff', '-m', 'm', 'side');
    const result = await measure(tree);
    expect(changes(result)).toEqual(['a.c 3 2', 'b.c 2 1', 'c.c 2 2']);
    expect(result.history.commits).toBe(4);
  });

  it('that moves a file keeps its history, also under a name that another file takes over', async () => {
    const tree = plantHistory();
    tree.git('mv', 'a.c', 'd.c');
    commit(tree, {}, { day: 3 });
    commit(tree, { 'a.c': 'another file' }, { day: 4 });
    tree.git('mv', 'd.c', 'f.c');
    commit(tree, {}, { day: 5 });
    const result = await measure(tree);
    // What is called a.c today has the commits under that name; the moved file those since its first move.
    expect(changes(result)).toEqual(['a.c 4 2', 'b.c 2 1', 'f.c 2 1', 'c.c 1 1']);
  });

  it('that moves a file carries its earlier commits along', async () => {
    const tree = plantHistory();
    mkdirSync(join(tree.root, 'deep'));
    tree.git('mv', 'a.c', 'deep/z.c');
    commit(tree, {}, { day: 3 });
    expect(changes(await measure(tree))[0]).toBe('deep/z.c 4 2');
  });

  it('belongs to one author whatever the case of the address, its mail map and its host', async () => {
    const tree = plantRepository();
    commit(tree, { 'a.c': '1' }, { by: { name: 'A', mail: 'Ann@Example.org' } });
    commit(tree, { 'a.c': '2' }, { by: ann });
    commit(tree, { 'a.c': '3' }, { by: { name: 'Ann', mail: 'ann@old.example' } });
    commit(tree, { 'a.c': '4' }, { by: { name: 'Eve', mail: '123+eve@users.noreply.github.com' } });
    commit(tree, { 'a.c': '5' }, { by: { name: 'Eve', mail: 'eve@users.noreply.github.com' } });
    tree.write('.mailmap', 'Ann <ann@example.org> <ann@old.example>\n');
    const result = await measure(tree, { files: ['a.c'] });
    expect(changes(result)).toEqual(['a.c 5 2']);
    expect(JSON.stringify(result)).not.toMatch(/@|ann|eve/i);
  });

  it('may touch files whose names are no UTF-8, hold new lines or begin like a header', async () => {
    const tree = plantRepository();
    const odd = Buffer.from('b\xe9.c', 'latin1');
    writeFileSync(Buffer.concat([Buffer.from(`${tree.root}/`), odd]), '1');
    commit(tree, { 'a\nR100.c': '1', '\x01x\x02y.c': '1', 'ü.c': '1' });
    const result = await measure(tree);
    expect(changes(result).sort()).toEqual(['\x01x\x02y.c 1 1', 'a\nR100.c 1 1', 'b\ufffd.c 1 1', 'ü.c 1 1']);
    expect(result.largest).toHaveLength(4);
  });
});

describe('the history', () => {
  it('of a shallow clone says so, and its edge counts for nothing', async () => {
    const tree = plantHistory();
    const clone = plantTree();
    clone.git('clone', '-q', '--depth', '2', `file://${tree.root}`, 'clone');
    const result = await measure(join(clone.root, 'clone'), { files: ['a.c', 'b.c', 'c.c'] });
    expect(result.history).toMatchObject({ source: 'git', commits: 1, shallow: true });
    expect(changes(result)).toEqual(['a.c 1 1', 'b.c 1 1']);
    expect(result.oldest[0]).toEqual({ path: 'c.c' });
  });

  it('is none outside of a repository, and empty before the first commit', async () => {
    const outside = await measure(plantTree({ 'a.c': '1' }));
    expect(outside).toMatchObject({
      history: { source: 'none', commits: 0 },
      hotspots: [],
      mostChanged: [],
      oldest: [],
    });
    expect(outside.largest).toEqual([{ path: 'a.c', bytes: 1 }]);
    const empty = await measure(plantRepository({ 'a.c': '1' }));
    expect(empty).toMatchObject({ history: { source: 'git', commits: 0, authors: 0 }, hotspots: [] });
    expect(empty.history).not.toHaveProperty('from');
  });

  it.each([
    ['commits', { mostCommits: 2 }],
    ['output', { mostBytes: 1 }],
    ['time', { mostMs: 0 }],
  ])('that is longer than its bound of %s says so', async (limit, bounds) => {
    const { history } = await measure(plantHistory(), bounds);
    expect(history).toMatchObject({ source: 'git', limit });
    expect(history.commits).toBeLessThanOrEqual(limit === 'commits' ? 2 : 3);
  });

  it('can begin at a time', async () => {
    const result = await measure(plantHistory(), { since: new Date((BEGIN + 1.5 * DAY) * 1000) });
    expect(changes(result)).toEqual(['a.c 1 1', 'b.c 1 1']);
  });

  it('that is wanted no more ends with the signal, and git with it', async () => {
    const tree = plantHistory();
    const abort = new AbortController();
    const run = measure(tree, {
      files: ['a.c'],
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });
    await expect(run).rejects.toThrow('enough');
    await expect(measure(tree, { files: [], signal: AbortSignal.abort(new Error('never')) })).rejects.toThrow('never');
  });

  it('lets others run between slices of a large tree, and stops there', async () => {
    const files = Array.from({ length: 5_000 }, (_, index) => `${index}.c`);
    let turns = 0;
    const timer = setImmediate(function again() {
      turns += 1;
      if (turns < 1_000) setImmediate(again);
    });
    await measure(plantTree({ '7.c': 'x' }).root, { files });
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(5_000 / 256 - 1);
    const abort = new AbortController();
    const looked: string[] = [];
    const complexityOf = (path: string) => {
      looked.push(path);
      abort.abort(new Error('enough'));
      return 1;
    };
    const tree = plantRepository(Object.fromEntries(files.slice(0, 600).map((path) => [path, 'x'])));
    tree.git('add', '-A');
    tree.git('commit', '-q', '-m', 'x');
    await expect(measure(tree, { complexityOf, signal: abort.signal })).rejects.toThrow('enough');
    expect(looked.length).toBeLessThanOrEqual(256);
  });

  it('runs no program that the repository names', async () => {
    const tree = plantHistory();
    const mark = join(tree.root, '.git/ran');
    const script = join(tree.root, '.git/script');
    writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 1\n`);
    chmodSync(script, 0o755);
    const settings = {
      'core.fsmonitor': script,
      'core.pager': script,
      'pager.log': script,
      'diff.external': script,
      'diff.x.textconv': script,
      'diff.x.command': script,
      'core.sshCommand': script,
      'gpg.program': script,
      'log.showSignature': 'true',
      'core.hooksPath': join(tree.root, '.git'),
      'color.ui': 'always',
      'diff.noprefix': 'true',
      'diff.renames': 'copies',
    };
    for (const [name, value] of Object.entries(settings)) tree.git('config', name, value);
    tree.write('.gitattributes', '*.c diff=x\n');
    expect(changes(await measure(tree, { files: ['a.c', 'b.c', 'c.c'] }))).toEqual(['a.c 3 2', 'b.c 2 1', 'c.c 1 1']);
    expect(existsSync(mark)).toBe(false);
  });

  it('of a clone that lacks its trees fetches nothing, and says that it failed', async () => {
    const tree = plantHistory();
    tree.git('config', 'uploadpack.allowFilter', 'true');
    const clone = plantTree();
    clone.git('clone', '-q', '--no-checkout', '--filter=tree:0', `file://${tree.root}`, 'clone');
    renameSync(join(tree.root, '.git'), join(tree.root, 'gone'));
    const mark = join(clone.root, 'ran');
    const script = join(clone.root, 'script');
    writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(script, 0o755);
    execFileSync('git', ['config', 'remote.origin.uploadpack', script], { cwd: join(clone.root, 'clone') });
    const result = await measure(join(clone.root, 'clone'), { files: ['a.c'] });
    expect(result.history).toMatchObject({ source: 'git', limit: 'failed' });
    expect(existsSync(mark)).toBe(false);
  });
});

describe('reading a log', () => {
  it('does not depend on how its bytes come in', () => {
    const log = Buffer.from(
      '\x01h2\x02200\x02B@x\0\nM\0a\0R100\0old\0new\0\x01h1\x02100\x02b@x\0\x01h0\x0250\x02c@x\0\nA\0\x01odd\0D\0b\0',
    );
    const read = (size: number) => {
      const heard: string[] = [];
      const parser = createLogParser({
        onCommit: ({ hash, time, author }) => heard.push(`${hash} ${time} ${author}`),
        onChange: (path) => heard.push(path),
        onMove: (from, to) => heard.push(`${from} > ${to}`),
      });
      for (let at = 0; at < log.length; at += size) parser.push(log.subarray(at, at + size));
      return heard;
    };
    expect(read(1000)).toEqual(['h2 200 b@x', 'a', 'old > new', 'h1 100 b@x', 'h0 50 c@x', '\x01odd', 'b']);
    for (const size of [1, 2, 3, 7]) expect(read(size)).toEqual(read(1000));
  });
});
