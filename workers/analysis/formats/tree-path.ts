/** Joins paths within a tree; a path that would leave the tree has no result. */

/** The folder of a path, empty for the root of the tree. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** A path relative to a folder of the tree as a path of the tree; undefined where it is absolute or leaves the tree. */
export function joinWithin(folder: string, relative: string): string | undefined {
  const slashed = relative.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[A-Za-z]:/.test(slashed)) return undefined;
  const parts: string[] = [];
  for (const part of `${folder}/${slashed}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** The folder itself and all above it, nearest first, the root of the tree last. */
export function foldersUpward(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== ''; ) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}
