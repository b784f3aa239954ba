/** Looks at files without opening them, to tell whether they are as they were; runs in a worker thread. */
import { lookAt } from './chunk-memory.js';
import { digestOf, digestOfStats, type FileIdentity, identityOf, isSettled, type SettlingRule } from './identity.js';
import { pathsIn, type SharedPaths } from './list-record.js';

/** A digest for each group of paths of what the file system says of them; empty where one of them is gone. */
export function lookAgain(root: string, groups: readonly SharedPaths[]): string[] {
  return groups.map((group) => {
    const paths = pathsIn(group);
    return digestOfStats(paths.length, (index) => lookAt(root, paths[index] ?? '')) ?? '';
  });
}

/** When and by which rule paths must have been left alone. */
export interface Settling {
  readonly sinceMs: number;
  readonly rule: SettlingRule;
}

/** A digest of what the file system says of these paths; undefined if one is gone, or was changed too shortly before. */
export function digestSettled(root: string, paths: readonly string[], { sinceMs, rule }: Settling): string | undefined {
  const identities = identitiesOf(root, paths);
  if (!identities?.every((identity) => isSettled(identity, sinceMs, rule))) return undefined;
  return digestOf(identities);
}

function identitiesOf(root: string, paths: readonly string[]): FileIdentity[] | undefined {
  const identities: FileIdentity[] = [];
  for (const path of paths) {
    const stats = lookAt(root, path);
    if (stats === undefined) return undefined;
    identities.push(identityOf(stats));
  }
  return identities;
}
