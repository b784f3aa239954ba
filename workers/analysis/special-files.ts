/** Finds what git does not mention though it stands beside listed files: pipes, sockets and devices. */
import type { Skip } from './count-chunk.js';
import { readFolder, reasonOf } from './walk.js';

/** Looks into the folders of the listed files and the root; runs in a worker thread. */
export function findSpecialFiles(root: string, folders: readonly string[]): Skip[] {
  return folders.flatMap((folder) =>
    (readFolder(`${root}/${folder}`) ?? [])
      .filter((entry) => !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink())
      .map((entry) => ({ path: folder + entry.name, reason: reasonOf(entry) })),
  );
}

/** The folders that hold the files, each once; empty for the root, ending in a slash below it. */
export function foldersOf(files: readonly string[]): string[] {
  const folders = new Set(['']);
  let last = '';
  for (const path of files) {
    // Neighbours in a list lie in the same folder as a rule.
    if (path.startsWith(last) && path.indexOf('/', last.length) < 0) continue;
    last = path.slice(0, path.lastIndexOf('/') + 1);
    folders.add(last);
  }
  return [...folders];
}
