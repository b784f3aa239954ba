/** Scans of trees that no git knows, recalled as a whole: whatever decides our own walk, a change of it shows. */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAsFresh, makeFolder, scan } from './recalled-scans.js';
import { plantTree, type Tree } from './trees.js';

function plant(): Tree {
  const tree = plantTree({ '.gitignore': 'build/\n', 'deep/.gitignore': '*.log\n', 'deep/b.log': 'b\n' });
  for (let i = 0; i < 300; i += 1) tree.write(`d${i % 7}/f${i}.c`, `int x${i};\n`);
  tree.write('build/out.c', 'int out;\n');
  tree.write('bin.dat', Buffer.from([0, 1, 2]));
  symlinkSync('bin.dat', join(tree.root, 'link.c'));
  return tree;
}

async function plantScanned() {
  const [tree, folder] = [plant(), makeFolder()];
  await scan(tree, { folder });
  return { tree, folder };
}

describe('a tree outside git', () => {
  it('is neither walked nor counted again while it is as it was', async () => {
    const { tree, folder } = await plantScanned();
    const again = await scan(tree, { folder });
    expect(again.recalled).toMatchObject({ fromCache: again.fromCache });
    expect(again.fromCache).toBe(again.files - 1);
    await expectAsFresh(tree, again);
  });

  it.each<[string, (tree: Tree) => void]>([
    ['a new file', (tree) => tree.write('d1/new.c', 'int n;\n')],
    ['a file that is gone', (tree) => unlinkSync(join(tree.root, 'd2/f2.c'))],
    ['a new folder', (tree) => tree.write('fresh/new.c', 'int n;\n')],
    ['a folder of another name', (tree) => renameSync(join(tree.root, 'd3'), join(tree.root, 'e3'))],
    ['another rule of the same length', (tree) => tree.write('.gitignore', 'guild/\n')],
    ['another rule further down', (tree) => tree.write('deep/.gitignore', '*.txt\n')],
    ['a first rule in a folder', (tree) => tree.write('d4/.gitignore', 'f4.c\n')],
    ['rules that are gone', (tree) => rmSync(join(tree.root, 'deep/.gitignore'))],
    ['declarations', (tree) => tree.write('.gitattributes', 'd5/** linguist-generated\n')],
    ['a repository in it', (tree) => mkdirSync(join(tree.root, 'd6/.git'))],
    ['a link in the place of a file', replaceByLink],
  ])('is listed again for %s', async (_what, change) => {
    const { tree, folder } = await plantScanned();
    change(tree);
    const again = await scan(tree, { folder });
    expect(again.recalled).toBeNull();
    await expectAsFresh(tree, again);
  });

  it('is listed by git once there is a repository', async () => {
    const { tree, folder } = await plantScanned();
    tree.git('init', '-q');
    const again = await scan(tree, { folder });
    expect(again.recalled).toBeNull();
    await expectAsFresh(tree, again);
  });

  it('is never recalled where its rules lie behind a link, which may change unseen', async () => {
    const [tree, folder] = [plant(), makeFolder()];
    tree.write('rules.txt', '*.h\n');
    symlinkSync('../rules.txt', join(tree.root, 'd1/.gitignore'));
    for (let i = 0; i < 2; i += 1) {
      const each = await scan(tree, { folder });
      expect(each.recalled).toBeNull();
      await expectAsFresh(tree, each);
    }
  });
});

function replaceByLink(tree: Tree): void {
  unlinkSync(join(tree.root, 'd0/f0.c'));
  symlinkSync('f7.c', join(tree.root, 'd0/f0.c'));
}
