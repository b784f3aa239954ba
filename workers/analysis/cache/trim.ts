/** Keeps the cache within its size: the trees that were scanned longest ago go first. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What a tree's folder takes. */
export interface TreeUse {
  readonly folder: string;
  readonly bytes: number;
  readonly usedMs: number;
}

/** What a writer that was killed leaves behind is removed after so long. */
const UNFINISHED_MS = 3_600_000;

/** Removes trees until the rest takes no more than `maxBytes`, the one used last at the end; rejects only on a fault of the disk. */
export async function trimCache(folder: string, maxBytes: number): Promise<void> {
  const trees = (await treesOf(folder)).sort((a, b) => b.usedMs - a.usedMs);
  let sum = 0;
  for (const tree of trees) {
    sum += tree.bytes;
    if (sum > maxBytes) await rm(tree.folder, { recursive: true, force: true });
  }
}

/** The trees in the cache; none where it cannot be read. Whatever vanishes meanwhile counts as nothing. */
export async function treesOf(folder: string): Promise<TreeUse[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => treeUse(join(folder, name))));
}

async function treeUse(folder: string): Promise<TreeUse> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  const usedMs = await stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return { folder, bytes: sizes.reduce((sum, size) => sum + size, 0), usedMs };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!path.endsWith('.tmp') || Date.now() - found.mtimeMs < UNFINISHED_MS) return found.size;
  await rm(path, { force: true });
  return 0;
}
