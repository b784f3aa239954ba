/** The matches found so far of one file, none within another, by place. */

/** A stretch of one file's tokens and the lines it stands on. */
export interface Stretch {
  readonly file: number;
  /** The index of its first token. */
  readonly start: number;
  /** Lines from 1, both inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** The same, counting only lines that hold tokens, from 0. */
  readonly firstCodeLine: number;
  readonly lastCodeLine: number;
}

/** A stretch of `length` tokens from `start` on, and its equal in an earlier file or earlier in the same one. */
export interface Match {
  readonly start: number;
  readonly length: number;
  readonly here: Stretch;
  readonly there: Stretch;
}

/** A growing set of matches; of two that hold each other the longer stays, of two equal ones the first. */
export interface MatchSet {
  /** Whether one match holds all tokens from `start` up to `end`. */
  holds(start: number, end: number): boolean;
  /** The longest match that holds all tokens from `start` up to `end`; undefined where none does. */
  around(start: number, end: number): Match | undefined;
  /** Adds a match unless another one holds it; removes those that it holds. */
  add(match: Match): void;
  list(): readonly Match[];
}

/** Creates an empty set. */
export function createMatchSet(): MatchSet {
  /** Ascending by start and, since none holds another, by end. */
  const matches: Match[] = [];

  /** The number of matches that start at or before `start`. */
  function startedBy(start: number): number {
    let low = 0;
    let high = matches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((matches[middle]?.start ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function around(start: number, end: number): Match | undefined {
    let found: Match | undefined;
    for (let at = startedBy(start) - 1; at >= 0; at -= 1) {
      const match = matches[at];
      if (match === undefined || match.start + match.length < end) break;
      if (found === undefined || match.length > found.length) found = match;
    }
    return found;
  }

  // Of those that start early enough the last one also reaches furthest.
  function holds(start: number, end: number): boolean {
    const match = matches[startedBy(start) - 1];
    return match !== undefined && match.start + match.length >= end;
  }

  function add(match: Match): void {
    const end = match.start + match.length;
    if (holds(match.start, end)) return;
    let from = startedBy(match.start);
    while (from > 0 && matches[from - 1]?.start === match.start) from -= 1;
    let to = from;
    for (let next = matches[to]; next !== undefined && next.start + next.length <= end; next = matches[to]) to += 1;
    matches.splice(from, to - from, match);
  }

  return { holds, around, add, list: () => matches };
}
