/** The trees that the scans of a chaos run count: always the same. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Places } from './plan.js';

const TEXTS: Readonly<Record<string, string>> = {
  c: '/* a comment */\nint x;\n\nint main(void) { return x; }\n',
  ts: '// a comment\nexport const x = 1;\n',
  py: '# a comment\nx = 1\n\n',
  md: '# A title\n\nSome words.\n',
};
const FOLDERS = 20;
const SMALL_FILES = 60;
const WIDE_FILES = 1_200;

/** Makes the trees under `root`. */
export async function makeTrees(root: string): Promise<Places['trees']> {
  const trees = { small: join(root, 'small'), wide: join(root, 'wide') };
  await makeTree(trees.small, SMALL_FILES);
  await makeTree(trees.wide, WIDE_FILES);
  return trees;
}

async function makeTree(tree: string, files: number): Promise<void> {
  const endings = Object.keys(TEXTS);
  for (let folder = 0; folder < FOLDERS; folder++) await mkdir(join(tree, `d${folder}`), { recursive: true });
  for (let file = 0; file < files; file++) {
    const ending = endings[file % endings.length] ?? 'c';
    const text = `${TEXTS[ending]}`.repeat(1 + (file % 5));
    await writeFile(join(tree, `d${file % FOLDERS}`, `f${file}.${ending}`), text);
  }
}
