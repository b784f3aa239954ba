/** Makes one result of all pairs: clones of any number of places, largest first, and how many lines lie in any of them. */
import type { Stretch } from './matches.js';
import {
  countPairs,
  fileAt,
  firstLineAt,
  hereOf,
  joinPairs,
  linesAt,
  type PackedPairs,
  pairAt,
  startAt,
  thereOf,
  tokensAt,
} from './pairs.js';

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

/** Folds; takes time in the order of n log n of the pairs, and beside them some sixteen bytes a pair. */
export function foldPairs({ packed, files, mostClones, mostPlaces }: Folding): Folded {
  const pairs = joinPairs(packed);
  const groups = groupPairs(pairs);
  const largest = largestFirst(groups).subarray(0, mostClones);
  const shown = Array.from(largest, (group) => cloneOf(groups, group, mostPlaces));
  return { clones: shown, clonesFound: groups.count, duplicatedLines: countLines(pairs, files) };
}

/** Pairs with the same earlier stretch and length are copies of one thing. */
interface Groups {
  readonly pairs: PackedPairs;
  /** The pairs, those of one group together. */
  readonly order: Uint32Array;
  /** By group: where in `order` it begins; one more for the end. */
  readonly starts: Uint32Array;
  readonly count: number;
}

function groupPairs(pairs: PackedPairs): Groups {
  const total = countPairs(pairs);
  const order = Uint32Array.from({ length: total }, (_, index) => index).sort(
    (a, b) => compareThere(pairs, a, b) || compareHere(pairs, a, b),
  );
  const starts = new Uint32Array(total + 1);
  let count = 0;
  for (let at = 0; at < total; at += 1) {
    if (at > 0 && compareThere(pairs, order[at - 1] ?? 0, order[at] ?? 0) === 0) continue;
    starts[count] = at;
    count += 1;
  }
  starts[count] = total;
  return { pairs, order, starts, count };
}

function compareThere(pairs: PackedPairs, a: number, b: number): number {
  return comparePlaces(pairs, thereOf(a), thereOf(b)) || tokensAt(pairs, a) - tokensAt(pairs, b);
}

function compareHere(pairs: PackedPairs, a: number, b: number): number {
  return comparePlaces(pairs, hereOf(a), hereOf(b));
}

function comparePlaces(pairs: PackedPairs, a: number, b: number): number {
  return fileAt(pairs, a) - fileAt(pairs, b) || startAt(pairs, a) - startAt(pairs, b);
}

/** The numbers of the groups, the largest clone first. */
function largestFirst(groups: Groups): Uint32Array {
  const { pairs, order, starts, count } = groups;
  const firstOf = (group: number) => order[starts[group] ?? 0] ?? 0;
  const copiesOf = (group: number) => (starts[group + 1] ?? 0) - (starts[group] ?? 0);
  const linesOf = (group: number) => linesAt(pairs, thereOf(firstOf(group)));
  return Uint32Array.from({ length: count }, (_, group) => group).sort(
    (a, b) =>
      linesOf(b) - linesOf(a) ||
      tokensAt(pairs, firstOf(b)) - tokensAt(pairs, firstOf(a)) ||
      copiesOf(b) - copiesOf(a) ||
      comparePlaces(pairs, thereOf(firstOf(a)), thereOf(firstOf(b))),
  );
}

function cloneOf({ pairs, order, starts }: Groups, group: number, mostPlaces: number): FoldedClone {
  const [from = 0, to = 0] = starts.subarray(group, group + 2);
  const first = order[from] ?? 0;
  const others = order.subarray(from, Math.min(to, from + mostPlaces - 1));
  const { tokens, there } = pairAt(pairs, first);
  return {
    tokens,
    lines: linesAt(pairs, thereOf(first)),
    copies: to - from + 1,
    places: [there, ...Array.from(others, (pair) => pairAt(pairs, pair).here)],
  };
}

/** Stretches overlap; each line counts once. */
function countLines(pairs: PackedPairs, files: number): Uint32Array<ArrayBuffer> {
  const counts = new Uint32Array(files);
  const stretches = Uint32Array.from({ length: 2 * countPairs(pairs) }, (_, index) =>
    index % 2 === 0 ? hereOf(index >> 1) : thereOf(index >> 1),
  ).sort((a, b) => fileAt(pairs, a) - fileAt(pairs, b) || firstLineAt(pairs, a) - firstLineAt(pairs, b));
  let file = -1;
  let next = 0;
  for (const stretch of stretches) {
    if (fileAt(pairs, stretch) !== file) {
      file = fileAt(pairs, stretch);
      next = 0;
    }
    const from = Math.max(next, firstLineAt(pairs, stretch));
    const lastLine = firstLineAt(pairs, stretch) + linesAt(pairs, stretch) - 1;
    if (lastLine < from) continue;
    counts[file] = (counts[file] ?? 0) + lastLine - from + 1;
    next = lastLine + 1;
  }
  return counts;
}
