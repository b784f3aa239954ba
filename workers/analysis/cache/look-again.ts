/** Looks at files without opening them, to tell whether they are as they were; runs in a worker thread. */
import { lookAt } from './chunk-memory.js';
import { digestOfNumbers, identityOf, isSettled, numbersOfStats, type SettlingRule } from './identity.js';
import { pathsIn, type SharedPaths } from './list-record.js';

/** A digest for each group of paths of what the file system says of them; empty where one of them is gone. */
export function lookAgain(root: string, groups: readonly SharedPaths[]): string[] {
  return groups.map((group) => {
    const paths = pathsIn(group);
    const numbers = numbersOfStats(paths.length, (index) => lookAt(root, paths[index] ?? ''));
    return numbers === undefined ? '' : digestOfNumbers([numbers]);
  });
}

/** When and by which rule paths must have been left alone. */
export interface Settling {
  readonly sinceMs: number;
  readonly rule: SettlingRule;
}

/** The identities of these paths one after another; undefined if one is gone, or was changed too shortly before. */
export function settledIdentities(
  root: string,
  paths: readonly string[],
  { sinceMs, rule }: Settling,
): Float64Array | undefined {
  return numbersOfStats(paths.length, (index) => {
    const stats = lookAt(root, paths[index] ?? '');
    return stats && isSettled(identityOf(stats), sinceMs, rule) ? stats : undefined;
  });
}
