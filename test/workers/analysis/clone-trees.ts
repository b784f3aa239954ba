/** Measures duplication of throw-away trees, and writes code whose clones are known. */
import {
  type Duplication,
  type DuplicationOptions,
  measureDuplication,
} from '../../../workers/analysis/duplication/measure-duplication.js';
import type { Tree } from './trees.js';

const never = new AbortController().signal;

/** Measures all files of a tree. */
export async function findClones(tree: Tree, options: Partial<DuplicationOptions> = {}): Promise<Duplication> {
  const files = options.files ?? (await tree.list());
  return measureDuplication({ root: tree.root, files, signal: never, ...options });
}

/** The places of all clones, as `path:first-last`. */
export function placesOf({ clones }: Duplication): string[][] {
  return clones.map(({ places }) => places.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`));
}

/** So many lines of C that share no two tokens in a row but marks with those of another name; five tokens a line. */
export function statements(name: string, lines = 20): string[] {
  return Array.from({ length: lines }, (_, i) => `${name}_${i} = ${name}${i * 7919};`);
}

/** Lines as a text. */
export function text(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
