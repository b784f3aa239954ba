/** Reads every manifest and lock file of a listed tree and sums up; synchronous, for a worker thread. */
import { compareText } from '../counts.js';
import { FormatFault } from '../formats/fault.js';
import type { Problem } from '../formats/problem.js';
import { createSourceReader } from '../formats/source-text.js';
import { folderOf, foldersUpward } from '../formats/tree-path.js';
import { printablePath } from '../paths.js';
import { readFolder } from '../walk.js';
import {
  type Dependency,
  type DependencyFile,
  type DependencyReport,
  ECOSYSTEMS,
  type Facts,
  facts,
} from './dependency.js';
import { joinSources } from './join.js';
import type { SourceFacts } from './projects.js';
import { type SourceFormat, sourceFormat } from './sources.js';
import { countEcosystem, findDuplicates, sumCounts } from './sum-up.js';

/** How many duplicates, files and problems a report lists. */
export const MOST_LISTED = 1000;
/** How many rows its table has. */
export const MOST_ROWS = 100_000;
/** A message quotes no more than this of a foreign library's words. */
const MOST_MESSAGE = 300;

/** What to read and how large it may be. */
export interface CollectRequest {
  readonly root: string;
  readonly files: readonly string[];
  readonly maxManifestBytes: number;
  readonly maxLockBytes: number;
}

/** Reads the tree; `onProgress` hears after each file. */
export function collectDependencies(
  request: CollectRequest,
  onProgress: (done: number, total: number) => void,
): DependencyReport {
  const listed = findSources(request.files);
  const found = findSources([...new Set([...listed.map(({ path }) => path), ...findLocks(request.root, listed)])]);
  const read = createReader(request);
  const sources: (SourceFacts & { format: SourceFormat })[] = [];
  found.forEach(({ path, format }, index) => {
    const { ecosystem, kind } = format;
    sources.push({ path, folder: folderOf(path), ecosystem, kind, format, facts: read(path, format) });
    onProgress(index + 1, found.length);
  });
  return sumUp(sources);
}

interface Found {
  readonly path: string;
  readonly format: SourceFormat;
}

function findSources(paths: readonly string[]): Found[] {
  return paths.flatMap((path) => {
    const format = sourceFormat(path);
    return format === undefined ? [] : [{ path, format }];
  });
}

/**
 * A listing leaves out what is generated, and a project may ignore it: lock files are either. They are looked for in the
 * folders of manifests and all above, which are real ones, as listings follow no link.
 */
function findLocks(root: string, manifests: readonly Found[]): string[] {
  const folders = new Set(['', ...manifests.flatMap(({ path }) => foldersUpward(folderOf(path)))]);
  return [...folders].sort(compareText).flatMap((folder) =>
    (readFolder(folder === '' ? root : `${root}/${folder}`) ?? [])
      .filter((entry) => entry.isFile())
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`))
      .filter((path) => sourceFormat(path)?.kind === 'lock'),
  );
}

/** Reads one file's facts; whatever is wrong with it becomes a problem in them. */
function createReader({ root, files, maxManifestBytes, maxLockBytes }: CollectRequest) {
  const readText = createSourceReader(root);
  const listed = new Set(files);
  const sibling = (path: string): string | undefined => {
    const text = listed.has(path) ? readText(path, maxManifestBytes) : undefined;
    return text !== undefined && 'text' in text ? text.text : undefined;
  };
  return (path: string, format: SourceFormat): Facts => {
    const found = readText(path, format.kind === 'lock' ? maxLockBytes : maxManifestBytes);
    if ('problem' in found) return facts({ problems: [{ message: found.problem }] });
    try {
      return format.read({ path, folder: folderOf(path), text: found.text.replaceAll('\r\n', '\n'), sibling });
    } catch (error) {
      if (error instanceof FormatFault) {
        return facts({ problems: [{ line: error.line, column: error.column, message: error.message }] });
      }
      // A reader must fail on no input: should one do so all the same, it costs its own file only.
      return facts({ problems: [{ message: `This could not be read as ${format.format}: ${String(error)}` }] });
    }
  };
}

function sumUp(sources: readonly (SourceFacts & { format: SourceFormat })[]): DependencyReport {
  const present = ECOSYSTEMS.filter((ecosystem) => sources.some((source) => source.ecosystem === ecosystem));
  const table: Dependency[] = [];
  const ecosystems = present.map((ecosystem) => {
    const own = sources.filter((source) => source.ecosystem === ecosystem);
    const { dependencies, local } = joinSources(ecosystem, own);
    for (const row of dependencies) table.push(row);
    const stated = own.reduce((sum, source) => sum + (source.kind === 'manifest' ? source.facts.local : 0), 0);
    return countEcosystem(ecosystem, own, { dependencies, local: local + stated });
  });
  const duplicates = findDuplicates(table);
  const problems = sources.flatMap(problemsOf);
  const rows = [...table].sort(byIdentity).map(printable);
  return {
    totals: sumCounts(ecosystems),
    ecosystems,
    duplicates: duplicates.slice(0, MOST_LISTED),
    duplicatesTotal: duplicates.length,
    files: sources.slice(0, MOST_LISTED).map(fileOf),
    filesTotal: sources.length,
    problems: problems.slice(0, MOST_LISTED),
    problemsTotal: problems.length,
    table: rows.slice(0, MOST_ROWS),
    tableTotal: rows.length,
  };
}

function problemsOf({ path, facts: { problems } }: SourceFacts): Problem[] {
  return problems.map((problem) => ({
    path: printablePath(path),
    ...problem,
    message: problem.message.slice(0, MOST_MESSAGE),
  }));
}

function fileOf({
  path,
  ecosystem,
  kind,
  format,
  facts: found,
}: SourceFacts & { format: SourceFormat }): DependencyFile {
  const packages = kind === 'lock' ? found.locked.length : found.declared.length;
  return { path: printablePath(path), ecosystem, kind, format: format.format, packages };
}

function byIdentity(one: Dependency, other: Dependency): number {
  return (
    compareText(one.ecosystem, other.ecosystem) ||
    compareText(one.name, other.name) ||
    compareText(one.version ?? '', other.version ?? '') ||
    compareText(one.project, other.project)
  );
}

function printable(row: Dependency): Dependency {
  return {
    ...row,
    project: printablePath(row.project),
    declared: row.declared.map((place) => ({ ...place, path: printablePath(place.path) })),
    lockedIn: row.lockedIn.map(printablePath),
  };
}
