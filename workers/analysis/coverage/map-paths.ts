/** Maps the paths that reports state to files of the tree, whatever machine and folder they were written in. */
import { folderOf, foldersUpward, joinWithin } from '../formats/tree-path.js';
import { baseName } from '../paths.js';

/** What a mapping may go by. */
export interface PathHints {
  /** The folder of the report within the tree. */
  readonly folder: string;
  /** Folders that its paths are relative to, as the report states them. */
  readonly roots: readonly string[];
  /** Folders of the tree by the prefix that stands for them, such as a Go module's path. */
  readonly modules: ReadonlyMap<string, string>;
}

/** Maps one stated path; undefined where no file of the tree fits, or several do equally well. */
export type PathMap = (stated: string, hints: PathHints) => string | undefined;

/** With fewer common parts two paths that differ above are not the same file. */
const LEAST_COMMON_PARTS = 2;
/** Of a name as common as `index.ts` no more files are compared. */
const MOST_CANDIDATES = 5000;

/** Creates a map onto the files of the tree at `root`. */
export function createPathMap(root: string, files: readonly string[]): PathMap {
  const listed = new Set(files);
  const byName = groupByName(files);

  return (stated, hints) => {
    const path = normalised(stated);
    const inner = withinRoot(root, path);
    if (inner !== undefined) return listed.has(inner) ? inner : undefined;
    return fromHints(path, hints) ?? bySuffix(path, hints);
  };

  /** A relative path counts from a stated root, else from the report's folder or one above it. */
  function fromHints(path: string, { folder, roots, modules }: PathHints): string | undefined {
    for (const [prefix, target] of modules) {
      const inner = path.startsWith(`${prefix}/`) ? joinWithin(target, path.slice(prefix.length + 1)) : undefined;
      if (inner !== undefined && listed.has(inner)) return inner;
    }
    if (path.startsWith('/') || /^[A-Za-z]:\//.test(path)) return undefined;
    for (const stated of roots) {
      const base = normalised(stated);
      const inner = withinRoot(root, `${base.replace(/\/$/, '')}/${path}`) ?? joinWithin(folder, `${base}/${path}`);
      if (inner !== undefined && listed.has(inner)) return inner;
    }
    return foldersUpward(folder)
      .map((above) => joinWithin(above, path))
      .find((inner) => inner !== undefined && listed.has(inner));
  }

  /** Roots of another machine still say which of several files is meant. */
  function bySuffix(path: string, hints: PathHints): string | undefined {
    const rooted = /^(?:\/|[A-Za-z]:\/)/.test(path)
      ? [path]
      : [...hints.roots.map((base) => `${normalised(base)}/${path}`), path];
    for (const candidate of rooted) {
      const found = closest(candidate, byName.get(baseName(candidate)) ?? [], hints.folder);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The file with the longest common end among those of its name; nearness to `folder` decides between equals. */
function closest(path: string, files: readonly string[], folder: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  let best: { path: string; common: number; near: number } | undefined;
  let tied = false;
  for (const file of files) {
    const common = commonEnd(parts, file.split('/'));
    if (!isEnough(common, parts.length, file)) continue;
    const near = commonStart(folder.split('/'), folderOf(file).split('/'));
    const order = best === undefined ? 1 : common - best.common || near - best.near;
    if (order > 0) best = { path: file, common, near };
    if (order >= 0) tied = order === 0;
  }
  return tied ? undefined : best?.path;
}

/** One path is the end of the other, or they have a telling end in common. */
function isEnough(common: number, parts: number, file: string): boolean {
  return common >= LEAST_COMMON_PARTS || common === parts || common === file.split('/').length;
}

function normalised(path: string): string {
  return path.replace(/^file:\/\//, '').replaceAll('\\', '/');
}

function withinRoot(root: string, path: string): string | undefined {
  return path.startsWith(`${root}/`) ? joinWithin('', path.slice(root.length + 1)) : undefined;
}

function groupByName(files: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of files) {
    const name = baseName(path);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [path]);
    else if (group.length < MOST_CANDIDATES) group.push(path);
  }
  return groups;
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let common = 0;
  while (common < one.length && common < other.length && one.at(-1 - common) === other.at(-1 - common)) common += 1;
  return common;
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  let common = 0;
  while (common < one.length && common < other.length && one[common] === other[common]) common += 1;
  return common;
}
