/** Scans that are recalled as a whole: whatever happens to the tree or to what is remembered, the result is that of a fresh scan. */
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asJson } from '../../../src/core/json.js';
import { treeFolder } from '../../../workers/analysis/cache/count-cache.js';
import { listFiles } from '../../../workers/analysis/scan.js';
import { packLarge } from '../../../workers/handlers/packed.js';
import { fakeSecrets } from '../../secrets/fake-secrets.js';
import {
  expectAsFresh,
  FILES,
  listFile,
  makeFolder,
  plant,
  plantScanned,
  rowsIn,
  scan,
  type Tables,
} from './recalled-scans.js';
import type { Tree } from './trees.js';

describe('an unchanged tree', () => {
  it('is neither listed nor counted again, and every byte of the result is the same', async () => {
    const { tree, folder } = await plantScanned();
    const progress: number[] = [];
    const again = await scan(tree, { folder, progress });
    expect(again.recalled).toMatchObject({ fromCache: again.fromCache });
    // The vendored file was not counted the first time either, nor was the link, which git calls one.
    expect(again.fromCache).toBe(again.files - 2);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
    await expectAsFresh(tree, again);
  });

  it('is known for each set of options apart', async () => {
    const { tree, folder } = await plantScanned();
    for (const args of [
      { max_file_bytes: 10_000 },
      { include: ['d*/**'], exclude: ['d2'] },
      { classes: ['vendored', 'generated'] },
    ]) {
      const first = await scan(tree, { folder, args });
      expect(first.recalled).toBeNull();
      await expectAsFresh(tree, first, args);
      const again = await scan(tree, { folder, args });
      expect(again.recalled).not.toBeNull();
      await expectAsFresh(tree, again, args);
    }
    expect((await scan(tree, { folder })).recalled).not.toBeNull();
  });

  it('is recalled by many scans at once', async () => {
    const { tree, folder } = await plantScanned();
    const scans = await Promise.all(Array.from({ length: 4 }, () => scan(tree, { folder })));
    for (const each of scans) await expectAsFresh(tree, each);
  });

  it('is not recalled by other rules', async () => {
    const { tree, folder } = await plantScanned();
    expect((await scan(tree, { folder, cache: { rules: 'others' } })).recalled).toBeNull();
  });

  it('is scanned in the ordinary way where metrics want the list of its files', async () => {
    const { tree, folder } = await plantScanned();
    expect((await scan(tree, { folder, args: { metrics: ['hotspots'] } })).recalled).toBeUndefined();
  });
});

describe('a file that was changed', () => {
  const at = (tree: Tree, path: string) => join(tree.root, path);

  it.each<[string, (tree: Tree) => void]>([
    ['in its size', (tree) => tree.write('d1/f1.c', 'int y;\nint z;\n')],
    [
      'to the same size',
      (tree) =>
        tree.write('d3/f3.c', readFileSync(at(tree, 'd3/f3.c'), 'utf8').replace('/* c */', 'int c10;'.slice(0, 7))),
    ],
    ['with its size and times put back', changeInSecret],
    ['in its times alone', (tree) => utimesSync(at(tree, 'd4/f4.c'), 1, 1)],
  ])('%s is read again, and with it only its chunk looked into', async (_how, change) => {
    const { tree, folder } = await plantScanned();
    const before = await scan(tree, { folder });
    change(tree);
    const again = await scan(tree, { folder });
    expect(again.recalled).not.toBeNull();
    expect(again.fromCache).toBe(before.fromCache - 1);
    await expectAsFresh(tree, again);
    expect((await scan(tree, { folder })).fromCache).toBe(before.fromCache);
  });

  function changeInSecret(tree: Tree): void {
    const { atime, mtime } = statSync(at(tree, 'd6/f6.c'));
    const text = readFileSync(at(tree, 'd6/f6.c'), 'utf8');
    writeFileSync(at(tree, 'd6/f6.c'), text.replace('/* c */', '/ * * /'));
    utimesSync(at(tree, 'd6/f6.c'), atime, mtime);
  }
});

describe('a name that is a secret', () => {
  it('stands in no page, whether its file was counted, skipped or recalled', async () => {
    const tree = plant();
    const token = fakeSecrets().find(({ name }) => name === 'GitHub classic')?.values[0] ?? '';
    tree.write(`d1/${token}.c`, 'int secret;\n');
    tree.write(`vendor/${token}.c`, 'int secret;\n');
    tree.write(`d2/${token}.bin`, Buffer.from([0]));
    const folder = makeFolder();
    const first = await scan(tree, { folder });
    const again = await scan(tree, { folder });

    expect(again.recalled).toMatchObject({ fromCache: again.fromCache });
    expect(first.rows).not.toContain(token);
    expect(first.rows.match(/REDACTED:github_token/g)).toHaveLength(3);
    expect(again.rows).toBe(first.rows);
    expect(again.found).toBe(first.found);
  });
});

describe('a listing that was changed', () => {
  it.each<[string, (tree: Tree) => unknown]>([
    ['a new file', (tree) => tree.write('new.c')],
    ['a file that is gone', (tree) => unlinkSync(join(tree.root, 'd1/f1.c'))],
    ['a new name', (tree) => renameSync(join(tree.root, 'd1/f1.c'), join(tree.root, 'd1/g1.c'))],
    [
      'another file of the same name',
      (tree) => [tree.write('.git/f1.c'), renameSync(join(tree.root, '.git/f1.c'), join(tree.root, 'd1/f1.c'))],
    ],
    ['a second name', (tree) => linkSync(join(tree.root, 'd1/f1.c'), join(tree.root, 'd1/g1.c'))],
    ['attributes', (tree) => tree.write('.gitattributes', '*.go -linguist-generated\nd1/** linguist-vendored\n')],
    ['ignored files', (tree) => tree.write('.gitignore', 'd1/\n*.new\n')],
    ['excludes of the repository', (tree) => [tree.write('x.new'), tree.write('.git/info/exclude', '*.new\n')]],
    ['a pipe beside listed files', (tree) => execFileSync('mkfifo', [join(tree.root, 'd1/pipe')])],
    ['a repository within', (tree) => [tree.write('sub/a.c'), mkdirSync(join(tree.root, 'sub/.git'))]],
    ['an index without a file', (tree) => tree.git('rm', '-q', '--cached', 'd1/f1.c')],
    [
      'a link in place of a file',
      (tree) => [unlinkSync(join(tree.root, 'd1/f1.c')), symlinkSync('f8.c', join(tree.root, 'd1/f1.c'))],
    ],
    ['a folder in place of a file', (tree) => [unlinkSync(join(tree.root, 'd1/f1.c')), tree.write('d1/f1.c/a.c')]],
  ])('by %s is made anew', async (_what, change) => {
    const { tree, folder } = await plantScanned();
    change(tree);
    await expectAsFresh(tree, await scan(tree, { folder }));
    await expectAsFresh(tree, await scan(tree, { folder }));
  });

  it('by attributes that change once more is made anew', async () => {
    const tree = plant();
    tree.write('.gitattributes', 'd1/** linguist-vendored\n');
    const folder = makeFolder();
    await scan(tree, { folder });
    tree.write('.gitattributes', 'd2/** linguist-vendored\n');
    const again = await scan(tree, { folder });
    expect(again.recalled).toBeNull();
    await expectAsFresh(tree, again);
  });

  it('agrees with a fresh scan after any series of edits', { timeout: 60_000 }, async () => {
    const { tree, folder } = await plantScanned();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    const edits: (() => unknown)[] = [
      () => tree.write(`d${random(7)}/f${random(FILES)}.c`, `int y${random(99)};\n`),
      () => rmSync(join(tree.root, `d${random(7)}/f${random(FILES)}.c`), { force: true }),
      () => tree.write('.gitattributes', `d${random(7)}/** linguist-vendored\n`),
      () => tree.git('add', '--all'),
      () => tree.git('checkout', '-qf', 'HEAD'),
      () => undefined,
    ];
    for (let round = 0; round < 12; round += 1) {
      edits[random(edits.length)]?.();
      await expectAsFresh(tree, await scan(tree, { folder }));
    }
  });
});

describe('what is remembered of a listing', () => {
  it('is nothing while the tree was changed too shortly before', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    await scan(tree, { folder, cache: { marginMs: 3_600_000 } });
    expect(listFile(folder, tree)).toBe('');
    expect((await scan(tree, { folder, cache: { marginMs: 3_600_000 } })).recalled).toBeNull();
  });

  it('is nothing where a name is not UTF-8', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    writeFileSync(Buffer.concat([Buffer.from(`${tree.root}/d1/`), Buffer.from([0xff, 0x2e, 0x63])]), 'int x;\n');
    await scan(tree, { folder });
    expect(listFile(folder, tree)).toBe('');
    await expectAsFresh(tree, await scan(tree, { folder }));
  });

  const flip = (bytes: Buffer) => bytes.map((byte, index) => (index === bytes.length - 9 ? byte ^ 1 : byte));
  it.each<[string, (path: string) => void]>([
    ['cut short', (path) => truncateSync(path, statSync(path).size - 100)],
    ['cut within its header', (path) => truncateSync(path, 120)],
    ['empty', (path) => truncateSync(path, 0)],
    ['somebody else’s', (path) => writeFileSync(path, '{"listing": 1}\n')],
    ['damaged', (path) => writeFileSync(path, flip(readFileSync(path)))],
    ['a folder', (path) => [rmSync(path), mkdirSync(path)]],
  ])('is ignored when its file is %s', async (_how, spoil) => {
    const { tree, folder } = await plantScanned();
    spoil(listFile(folder, tree));
    const again = await scan(tree, { folder });
    expect(again.recalled).toBeNull();
    await expectAsFresh(tree, again);
  });

  it('is of no use without its counts, which are made again', async () => {
    const { tree, folder } = await plantScanned();
    const place = treeFolder(folder, tree.root);
    for (const name of readdirSync(place)) if (name.endsWith('.counts')) truncateSync(join(place, name), 3);
    const again = await scan(tree, { folder });
    expect(again.fromCache).toBe(0);
    await expectAsFresh(tree, again);
  });

  it('is not written where nothing can be, which costs only time', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    writeFileSync(treeFolder(folder, tree.root), 'no folder');
    for (let i = 0; i < 2; i += 1) await expectAsFresh(tree, await scan(tree, { folder }));
  });

  it('is kept for the last few sets of options', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    for (let size = 1_000; size < 1_008; size += 1) await scan(tree, { folder, args: { max_file_bytes: size } });
    const place = treeFolder(folder, tree.root);
    expect(readdirSync(place).filter((name) => name.endsWith('.list'))).toHaveLength(4);
  });
});

describe('a worker that dies', () => {
  it('after it wrote the tables of a recalled scan leaves nothing of them to a scan of a tree that was changed since', async () => {
    const { tree, folder } = await plantScanned();
    const [tables, steps]: [Tables, Map<string, unknown>] = [new Map(), new Map()];
    const dying = scan(tree, { folder, tables, steps, diesAfter: 'recall' });
    await expect(dying).rejects.toThrow('the worker died');
    expect(rowsIn(tables)).toContain('f1.c');
    tree.write('new.c');
    unlinkSync(join(tree.root, 'd1/f1.c'));
    await expectAsFresh(tree, await scan(tree, { folder, tables, steps }));
  });

  it('after it found that nothing can be recalled does not try again', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    const [tables, steps]: [Tables, Map<string, unknown>] = [new Map(), new Map()];
    await expect(scan(tree, { folder, tables, steps, diesAfter: 'count' })).rejects.toThrow('the worker died');
    await scan(tree, { folder });
    const again = await scan(tree, { folder, tables, steps });
    expect(again.recalled).toBeNull();
    await expectAsFresh(tree, again);
  });

  it('with a list that an earlier version journaled as a whole is followed by one that counts it', async () => {
    const tree = plant();
    const [{ files, ...summary }, fresh] = [
      await listFiles({ root: tree.root, signal: new AbortController().signal }),
      await scan(tree),
    ];
    const list = await packLarge(asJson({ startedMs: 1, list: { ...summary, files: files.slice(0, -1) } }));
    const resumed = await scan(tree, { steps: new Map([['list', list]]) });
    expect(resumed.files).toBe(fresh.files - 1);
  });
});
