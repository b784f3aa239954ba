/** Finds what one file has in common with the files before it and with its own earlier parts. */
import type { CatalogueMemory } from './catalogue.js';
import { grainOf } from './fingerprints.js';
import { createMatchSet, type Match, type MatchSet, type Stretch } from './matches.js';
import { createReach } from './reach.js';
import { mayBeAlike } from './sides.js';
import type { KeptTokens } from './token-source.js';

/** What the comparison of one file found. */
export interface FileMatches {
  readonly matches: readonly Match[];
  /** Fingerprints that stand in so many places that only the first were compared, none of them alike enough. */
  readonly crowded: number;
  /** Whether the rest of the file was not compared, because comparing took too long. */
  readonly cut: boolean;
}

/** Compares one file after another. */
export interface Matcher {
  match(file: number): FileMatches;
}

/** What a matcher needs. */
export interface MatcherDeps {
  readonly catalogue: CatalogueMemory;
  readonly minTokens: number;
  readonly minLines: number;
  /** The tokens of a file; undefined where it has gone since. */
  readonly tokensOf: (file: number) => KeptTokens | undefined;
}

/** Earlier places that are compared in any case, in order of files; further ones only as long as none is alike enough. */
const FIRST_PLACES = 16;
/** Earlier places that are looked at. */
const MOST_PLACES = 1024;
/** Tokens compared for one file: a fraction of a second's worth. */
const MOST_WORK = 200_000_000;
const NOTHING: FileMatches = { matches: [], crowded: 0, cut: false };

interface Subject {
  readonly file: number;
  readonly tokens: KeptTokens;
  readonly found: MatchSet;
  /** Equal stretches on too few lines here: no clones, and nothing within them can be one. */
  readonly flat: MatchSet;
  work: number;
}

/** Two places that hold the same fingerprint, and the match around it that is known so far. */
interface Pairing {
  readonly place: number;
  readonly otherFile: number;
  readonly otherPlace: number;
  readonly known: Match | undefined;
}

/** Creates a matcher over an ordered catalogue. */
export function createMatcher(deps: MatcherDeps): Matcher {
  const { catalogue, minTokens, tokensOf } = deps;
  const { files, places, sides, order, heads, firsts, counts } = catalogue;
  const grain = grainOf(minTokens);
  const reaches = createReach(catalogue, grain);

  function match(file: number): FileMatches {
    const first = firsts[file] ?? 0;
    const end = first + (counts[file] ?? 0);
    const tokens = hasEarlier(catalogue, first, end) ? tokensOf(file) : undefined;
    if (tokens === undefined) return NOTHING;
    const subject: Subject = { file, tokens, found: createMatchSet(), flat: createMatchSet(), work: 0 };
    let crowded = 0;
    for (let entry = first; entry < end && subject.work < MOST_WORK; entry += 1) {
      if (matchEntry(subject, entry)) crowded += 1;
    }
    return { matches: subject.found.list(), crowded, cut: subject.work >= MOST_WORK };
  }

  /** Compares the places before this one that hold its fingerprint; true when there were too many. */
  function matchEntry(subject: Subject, entry: number): boolean {
    const place = places[entry] ?? 0;
    const end = place + grain.run;
    // Every clone that the fingerprint could lead to lies within a longer one already.
    const reach = Math.min(subject.tokens.count, place + minTokens);
    if (holds(subject, Math.max(0, end - minTokens), reach)) return false;
    const head = heads[entry] ?? 0;
    let compared = 0;
    for (let rank = head; order[rank] !== entry; rank += 1) {
      if (compared >= FIRST_PLACES && holds(subject, place, end)) return false;
      if (rank - head >= MOST_PLACES) return !holds(subject, place, end);
      const other = order[rank] ?? 0;
      if (!mayBeAlike(sides[entry] ?? 0, sides[other] ?? 0)) continue;
      compared += 1;
      const known = subject.found.around(place, end) ?? subject.flat.around(place, end);
      if (known !== undefined && !reaches({ entry, other }, known)) continue;
      compare(subject, { place, otherFile: files[other] ?? 0, otherPlace: places[other] ?? 0, known }, deps);
    }
    return false;
  }

  return { match };
}

function hasEarlier({ order, heads }: CatalogueMemory, first: number, end: number): boolean {
  for (let entry = first; entry < end; entry += 1) if (order[heads[entry] ?? 0] !== entry) return true;
  return false;
}

/** Records how far two places are the same, if that is far enough. */
function compare(subject: Subject, pairing: Pairing, { minTokens, minLines, tokensOf }: MatcherDeps): void {
  const { tokens: here, file } = subject;
  const { place, otherFile, otherPlace } = pairing;
  const there = otherFile === file ? here : tokensOf(otherFile);
  if (there === undefined || !mayExceed(here, there, pairing)) return;
  const [left, right] = extend(here, there, pairing);
  subject.work += left + right + 1;
  const length = left + right;
  if (right === 0 || length < minTokens) return;
  const shift = otherFile === file ? place - otherPlace : length;
  for (const [from, size] of tile({ start: place - left, length, shift }, minTokens)) {
    const match = {
      start: from,
      length: size,
      here: stretch(file, here, { start: from, length: size }),
      there: stretch(otherFile, there, { start: from - place + otherPlace, length: size }),
    };
    if (spannedLines(match.here) < minLines) subject.flat.add(match);
    else if (spannedLines(match.there) >= minLines) subject.found.add(match);
  }
}

interface Run {
  readonly start: number;
  readonly length: number;
  /** How far it is from its copy, or its length where that is in another file. */
  readonly shift: number;
}

/** A run that overlaps its own copy is cut into pieces as long as their distance, so that no piece does. */
function tile({ start, length, shift }: Run, minTokens: number): (readonly [number, number])[] {
  if (length <= shift) return [[start, length]];
  const pieces: (readonly [number, number])[] = [];
  if (shift < minTokens) return pieces;
  const end = start + length;
  for (let from = start; from < end; from += shift) {
    const size = Math.min(shift, end - from);
    pieces.push(size < minTokens ? [end - minTokens, minTokens] : [from, size]);
  }
  return pieces;
}

function holds({ found, flat }: Subject, start: number, end: number): boolean {
  return found.holds(start, end) || flat.holds(start, end);
}

/** Whether a match by this pairing could reach beyond one that is known: only if the next token on one side is the same. */
function mayExceed(here: KeptTokens, there: KeptTokens, { place, otherPlace, known }: Pairing): boolean {
  if (known === undefined) return true;
  const before = known.start - 1;
  const after = known.start + known.length;
  const shift = otherPlace - place;
  return (
    (before >= 0 && before + shift >= 0 && here.hashes[before] === there.hashes[before + shift]) ||
    (after < here.count && after + shift < there.count && here.hashes[after] === there.hashes[after + shift])
  );
}

/** How many tokens are the same before the two places, and how many from them on. */
function extend(here: KeptTokens, there: KeptTokens, { place, otherPlace }: Pairing): readonly [number, number] {
  const room = Math.min(here.count - place, there.count - otherPlace);
  let right = 0;
  while (right < room && here.hashes[place + right] === there.hashes[otherPlace + right]) right += 1;
  if (right === 0) return [0, 0];
  const most = Math.min(place, otherPlace);
  let left = 0;
  while (left < most && here.hashes[place - left - 1] === there.hashes[otherPlace - left - 1]) left += 1;
  return [left, right];
}

function stretch(file: number, tokens: KeptTokens, { start, length }: { start: number; length: number }): Stretch {
  const last = start + length - 1;
  return {
    file,
    start,
    startLine: tokens.lines[start] ?? 0,
    endLine: tokens.lines[last] ?? 0,
    firstCodeLine: tokens.codeLineOf(start),
    lastCodeLine: tokens.codeLineOf(last),
  };
}

function spannedLines({ firstCodeLine, lastCodeLine }: Stretch): number {
  return lastCodeLine - firstCodeLine + 1;
}
