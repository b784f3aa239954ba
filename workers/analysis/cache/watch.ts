/** Notes what decides a walk of our own as it goes, so that the next scan can tell that it would come to the same. */
import { mayDeclare } from '../attributes.js';
import { lookAt } from './chunk-memory.js';
import { identityOf, isSettled } from './identity.js';
import type { Settling } from './look-again.js';

/** What was noted, and the identities of it one after another. */
export interface Watched {
  /** Relative to the root; folders end in a slash, the root itself is empty. */
  readonly looked: readonly string[];
  readonly identities: Float64Array;
}

interface Named {
  readonly name: string;
  isFile(): boolean;
}

/** See `createWatch`. */
export interface Watch {
  /** Notes a folder that is about to be read. */
  folder(path: string): void;
  /** Notes those of a folder's entries that hold rules, before they are read. */
  rulesAmong(entries: readonly Named[], folder: string): void;
  /** All of it; undefined where something may change unseen: it was changed too shortly before, or is a link. */
  result(): Watched | undefined;
}

/** Begins to take notes. */
export function createWatch(root: string, { sinceMs, rule }: Settling): Watch {
  const looked: string[] = [];
  const numbers: number[] = [];
  let isSound = true;

  function note(path: string): void {
    const stats = lookAt(root, path);
    const identity = stats && identityOf(stats);
    if (identity && isSettled(identity, sinceMs, rule)) {
      looked.push(path);
      numbers.push(...identity);
    } else isSound = false;
  }

  return {
    folder: note,
    rulesAmong(entries, folder) {
      for (const entry of entries) {
        if (!mayDeclare(entry.name)) continue;
        if (entry.isFile()) note(folder + entry.name);
        else isSound = false;
      }
    },
    result: () => (isSound ? { looked, identities: Float64Array.from(numbers) } : undefined),
  };
}
