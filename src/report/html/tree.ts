/** The tree of folders and files that the treemap shows: bounded, whatever the size of the code. */
import type { FileRow } from '../analysis.js';

/** A tile of the map, with its sums; short names since a page holds thousands. */
export interface MapNode {
  /** Name, or the names of a chain of folders; for the rest of a folder, empty. */
  readonly n: string;
  /** Lines of code. */
  readonly c: number;
  readonly l: number;
  readonly f: number;
  /** Decision points; absent where none of its files was measured. */
  readonly x?: number;
  /** The language with most code. */
  readonly g: string;
  /** What is in a folder, largest first; absent for files, for the rest of a folder and where the bound was reached. */
  k?: MapNode[];
}

/** Tiles of a page and of a folder in it; what is beyond is summed up. */
const MOST_NODES = 3_000;
const MOST_CHILDREN = 150;
const LONGEST_NAME = 120;

interface Sums {
  code: number;
  lines: number;
  files: number;
  complexity: number | undefined;
  readonly languages: Map<string, number>;
}

interface Folder extends Sums {
  readonly folders: Map<string, Folder>;
  readonly rows: FileRow[];
}

/** Builds the tree: the largest folders are opened first, until there are as many tiles as a page may hold. */
export function mapOf(files: readonly FileRow[], mostNodes = MOST_NODES): MapNode {
  const top = folderOf(files);
  const root = nodeOf('', top);
  const closed: { node: MapNode; folder: Folder }[] = [{ node: root, folder: top }];
  let left = mostNodes;
  while (closed.length > 0 && left > 1) {
    const largest = closed.reduce((best, one, at) => (one.node.c > (closed[best]?.node.c ?? 0) ? at : best), 0);
    const [opened] = closed.splice(largest, 1);
    if (!opened) break;
    const children = childrenOf(opened.folder, Math.min(MOST_CHILDREN, left));
    opened.node.k = children.map(({ node }) => node);
    left -= children.length;
    closed.push(...children.flatMap(({ node, folder }) => (folder ? [{ node, folder }] : [])));
  }
  return root;
}

interface Child {
  readonly node: MapNode;
  readonly folder?: Folder;
}

/** The largest folders and files of a folder and, if there are more than `most`, one tile for all others. */
function childrenOf(folder: Folder, most: number): Child[] {
  const folders = [...folder.folders].map(([name, inner]): Child => {
    const [names, last] = chainFrom(name, inner);
    return { node: nodeOf(names, last), folder: last };
  });
  const rows = folder.rows.map((row): Child => ({ node: nodeOf(nameOf(row.path), sumsOf([row])) }));
  const all = [...folders, ...rows].filter(({ node }) => node.c > 0);
  all.sort((a, b) => b.node.c - a.node.c || (a.node.n < b.node.n ? -1 : 1));
  if (all.length <= most) return all;
  const node = restOf(all.slice(most - 1).map((child) => child.node));
  const shown = all.slice(0, most - 1);
  const place = shown.findIndex((one) => one.node.c < node.c);
  return place === -1 ? [...shown, { node }] : [...shown.slice(0, place), { node }, ...shown.slice(place)];
}

/** One tile for several. */
function restOf(nodes: readonly MapNode[]): MapNode {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const measured = nodes.flatMap(({ x }) => (x === undefined ? [] : [x]));
  return {
    n: '',
    c: sum(nodes.map(({ c }) => c)),
    l: sum(nodes.map(({ l }) => l)),
    f: sum(nodes.map(({ f }) => f)),
    ...(measured.length > 0 && { x: sum(measured) }),
    g: '',
  };
}

/** Folders with nothing but one folder in them are one tile. */
function chainFrom(name: string, folder: Folder): [string, Folder] {
  const names = [name];
  let last = folder;
  while (last.rows.length === 0 && last.folders.size === 1) {
    const [next] = last.folders;
    if (!next) break;
    names.push(next[0]);
    last = next[1];
  }
  return [names.join('/'), last];
}

function folderOf(files: readonly FileRow[]): Folder {
  const top = emptyFolder();
  for (const row of files) {
    let folder = top;
    add(folder, row);
    for (const name of row.path.split('/').slice(0, -1)) {
      const inner = folder.folders.get(name) ?? emptyFolder();
      folder.folders.set(name, inner);
      folder = inner;
      add(folder, row);
    }
    folder.rows.push(row);
  }
  return top;
}

function emptyFolder(): Folder {
  return { ...sumsOf([]), folders: new Map(), rows: [] };
}

function sumsOf(rows: readonly FileRow[]): Sums {
  const sums: Sums = { code: 0, lines: 0, files: 0, complexity: undefined, languages: new Map() };
  for (const row of rows) add(sums, row);
  return sums;
}

function add(sums: Sums, row: FileRow): void {
  sums.code += row.code;
  sums.lines += row.lines;
  sums.files += 1;
  if (row.complexity !== undefined) sums.complexity = (sums.complexity ?? 0) + row.complexity;
  sums.languages.set(row.language, (sums.languages.get(row.language) ?? 0) + row.code);
}

function nodeOf(name: string, { code, lines, files, complexity, languages }: Sums): MapNode {
  const [main] = [...languages].sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1));
  const n = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return { n, c: code, l: lines, f: files, ...(complexity !== undefined && { x: complexity }), g: main?.[0] ?? '' };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
