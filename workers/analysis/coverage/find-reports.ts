/** Finds reports by name, also where git ignores them: beside listed files, and below folders that tools write reports to. */
import { compareText } from '../counts.js';
import { folderOf, foldersUpward } from '../formats/tree-path.js';
import { readFolder } from '../walk.js';
import { reportRule, unreadableReport } from './report-names.js';

/** Folders that tools write reports to, which are searched though a listing leaves them out. */
const OUTPUT_FOLDERS = new Set(
  `coverage .nyc_output htmlcov cov build target out reports report test-results TestResults test-reports coverage-reports
  .coverage-reports test-output artifacts tmp .qlty`.split(/\s+/),
);
/** Never searched: what is in them was made elsewhere. */
const FOREIGN_FOLDERS = new Set(['.git', 'node_modules', '.venv', 'venv', 'site-packages', 'vendor']);
/** How far below an output folder reports are: `build/reports/jacoco/test/x.xml` is three. */
const MOST_DEPTH = 6;
/** How many folders are looked into. */
const MOST_FOLDERS = 20_000;

/** The paths of what goes by a report's or a data file's name. */
export interface FoundReports {
  readonly paths: readonly string[];
  readonly cutOff: boolean;
}

/** Searches the tree of the listed files; synchronous. Follows no link and opens nothing. */
export function findReports(root: string, files: readonly string[]): FoundReports {
  const folders = [...new Set(['', ...files.flatMap((path) => foldersUpward(folderOf(path)))])].sort(compareText);
  const known = new Set(folders);
  const found = new Set<string>();
  const open = folders.map((path) => ({ path, depth: 0 }));
  let looked = 0;
  for (let at = 0; at < open.length && looked < MOST_FOLDERS; at++) {
    const { path, depth } = open[at] ?? { path: '', depth: 0 };
    const within = path === '' ? '' : `${path}/`;
    looked += 1;
    for (const entry of readFolder(`${root}/${path}`) ?? []) {
      const inner = within + entry.name;
      if (entry.isFile() && isReport(inner)) found.add(inner);
      if (!entry.isDirectory() || known.has(inner) || !isSearched(entry.name, depth)) continue;
      known.add(inner);
      open.push({ path: inner, depth: depth + 1 });
    }
  }
  return { paths: [...found].sort(compareText), cutOff: looked < open.length };
}

function isReport(path: string): boolean {
  return reportRule(path) !== undefined || unreadableReport(path) !== undefined;
}

/** At depth 0, a listed folder, only output folders are entered; below these everything is. */
function isSearched(name: string, depth: number): boolean {
  if (FOREIGN_FOLDERS.has(name)) return false;
  return depth === 0 ? OUTPUT_FOLDERS.has(name) : depth < MOST_DEPTH;
}
