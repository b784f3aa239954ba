/** Makes one result of all pairs: clones of any number of places, largest first, and how many lines lie in any of them. */
import type { Stretch } from './matches.js';
import { countPairs, type PackedPairs, type Pair, pairAt } from './pairs.js';

/** What is to be folded. */
export interface Folding {
  /** In the order of files. */
  readonly packed: readonly PackedPairs[];
  readonly files: number;
  readonly mostClones: number;
  readonly mostPlaces: number;
}

/** One clone: as many equal stretches as `copies` says, the first few of them named, in order of files and places. */
export interface FoldedClone {
  readonly tokens: number;
  /** Lines of the first place that hold its tokens. */
  readonly lines: number;
  readonly copies: number;
  readonly places: readonly Stretch[];
}

/** All pairs as one. */
export interface Folded {
  /** Largest first: by lines, then tokens, then the number of copies, then the order of files and places. */
  readonly clones: readonly FoldedClone[];
  readonly clonesFound: number;
  /** By file: its lines that hold a token of any clone. */
  readonly duplicatedLines: Uint32Array<ArrayBuffer>;
}

/** Folds; takes time in the order of n log n of the pairs. */
export function foldPairs({ packed, files, mostClones, mostPlaces }: Folding): Folded {
  const pairs: Pair[] = [];
  for (const block of packed) for (let at = 0; at < countPairs(block); at += 1) pairs.push(pairAt(block, at));
  const clones = group(pairs);
  const shown = clones
    .sort(compareClones)
    .slice(0, mostClones)
    .map((clone) => ({ ...clone, places: clone.places.slice(0, mostPlaces) }));
  return { clones: shown, clonesFound: clones.length, duplicatedLines: countLines(pairs, files) };
}

/** Pairs with the same earlier stretch are copies of one thing. */
function group(pairs: Pair[]): FoldedClone[] {
  const clones: FoldedClone[] = [];
  pairs.sort((a, b) => compareStretches(a.there, b.there) || a.tokens - b.tokens || compareStretches(a.here, b.here));
  let first = 0;
  for (let at = 1; at <= pairs.length; at += 1) {
    const before = pairs[at - 1];
    const pair = pairs[at];
    if (before === undefined) break;
    if (pair?.tokens === before.tokens && compareStretches(pair.there, before.there) === 0) continue;
    const places = [before.there, ...pairs.slice(first, at).map(({ here }) => here)];
    const lines = before.there.lastCodeLine - before.there.firstCodeLine + 1;
    clones.push({ tokens: before.tokens, lines, copies: places.length, places });
    first = at;
  }
  return clones;
}

function compareStretches(a: Stretch, b: Stretch): number {
  return a.file - b.file || a.start - b.start;
}

function compareClones(a: FoldedClone, b: FoldedClone): number {
  return b.lines - a.lines || b.tokens - a.tokens || b.copies - a.copies || compareFirst(a, b);
}

function compareFirst(a: FoldedClone, b: FoldedClone): number {
  const [left] = a.places;
  const [right] = b.places;
  return left === undefined || right === undefined ? 0 : compareStretches(left, right);
}

/** Stretches overlap; each line counts once. */
function countLines(pairs: readonly Pair[], files: number): Uint32Array<ArrayBuffer> {
  const counts = new Uint32Array(files);
  const stretches = pairs.flatMap(({ here, there }) => [here, there]);
  stretches.sort((a, b) => a.file - b.file || a.firstCodeLine - b.firstCodeLine);
  let file = -1;
  let next = 0;
  for (const stretch of stretches) {
    if (stretch.file !== file) {
      file = stretch.file;
      next = 0;
    }
    const from = Math.max(next, stretch.firstCodeLine);
    if (stretch.lastCodeLine < from) continue;
    counts[file] = (counts[file] ?? 0) + stretch.lastCodeLine - from + 1;
    next = stretch.lastCodeLine + 1;
  }
  return counts;
}
