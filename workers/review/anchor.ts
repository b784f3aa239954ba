/** Finds where a finding's quote really stands: models copy code well and count lines badly. */
import type { ReportedFinding } from '../../src/core/finding.js';
import type { Source } from './source.js';

/** Where a quote stands, by the numbers of the file, or why the finding cannot be placed. */
export type Anchored =
  | { readonly line: number; readonly endLine: number; readonly quote: string; readonly match: 'exact' | 'whitespace' }
  | { readonly dropped: string };

/** Places quotes in one source. */
export type Anchor = (finding: Pick<ReportedFinding, 'line' | 'quote'>) => Anchored;

/** A quote with fewer letters and digits tells little: unless it stands only once, it is believed only on the line it was claimed for. */
const LEAST_SIGNS = 3;
/** Lines that are quoted back at most. */
const QUOTED_LINES = 12;

/** A text with the index of the source line for each of its own lines or places. */
interface Haystack {
  readonly text: string;
  /** Where each line of the source begins in `text`, ascending. */
  readonly starts: readonly number[];
}

/**
 * Prepares a source. A quote is looked for as it is, then with every run of blanks read as one; of several places the one
 * nearest to the claimed line is taken, without a claim the first.
 */
export function createAnchor(source: Source): Anchor {
  const exact = join(source, (text) => text, '\n');
  const loose = join(source, (text) => text.replace(/\s+/g, ' ').trim(), ' ');
  const added = source.lines.some((line) => line.added !== undefined);
  const isNew = (first: number, last: number) => source.lines.slice(first, last + 1).some((line) => line.added);
  return ({ line, quote }) => {
    const wanted = source.lines.findIndex(({ number }) => number === line);
    for (const words of readingsOf(quote)) {
      const squeezed = words.replace(/\s+/g, ' ').trim();
      const place = nearest(exact, words, wanted) ?? nearest(loose, squeezed, wanted);
      if (!place) continue;
      const [first, last] = place;
      if (isSlight(words) && first !== wanted && isRepeated(loose.text, squeezed))
        return { dropped: 'the quote is too short to be placed' };
      if (added && !isNew(first, last)) return { dropped: 'the quote is not on an added line' };
      const match = exact.text.includes(words) ? 'exact' : 'whitespace';
      return { ...rangeOf(source, first, last), match };
    }
    return { dropped: 'the quote is not in the file' };
  };
}

/** The quote as it is, and without the line numbers that some models copy along. */
function readingsOf(quote: string): string[] {
  const plain = quote.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
  const lines = plain.split('\n');
  const numbers = /^\s*\d+ ?[|+:] ?/;
  const bare = lines.every((line) => numbers.test(line)) ? lines.map((line) => line.replace(numbers, '')) : [];
  return bare.length === 0 ? [plain] : [plain, bare.join('\n')];
}

function isSlight(words: string): boolean {
  return (words.match(/[\p{L}\p{N}_]/gu)?.length ?? 0) < LEAST_SIGNS;
}

function isRepeated(text: string, words: string): boolean {
  return text.indexOf(words) !== text.lastIndexOf(words);
}

function join({ lines }: Source, read: (text: string) => string, between: string): Haystack {
  const texts = lines.map(({ text }) => read(text));
  const starts: number[] = [];
  let at = 0;
  for (const text of texts) {
    starts.push(at);
    at += text.length + between.length;
  }
  return { text: texts.join(between), starts };
}

/** First and last line of the occurrence nearest to the wanted line; -1 wants the first. */
function nearest({ text, starts }: Haystack, words: string, wanted: number): readonly [number, number] | undefined {
  if (words === '') return undefined;
  const from = starts[Math.max(0, wanted)] ?? 0;
  const behind = text.indexOf(words, from);
  const before = from === 0 ? -1 : text.lastIndexOf(words, from - 1);
  const places = [before, behind]
    .filter((at) => at >= 0)
    .map((at) => [lineAt(starts, at), lineAt(starts, at + words.length - 1)] as const);
  const away = ([first, last]: readonly [number, number]) => Math.max(0, first - wanted, wanted - last);
  return places.sort((a, b) => away(a) - away(b))[0];
}

/** The last line that begins at or before the place. */
function lineAt(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function rangeOf({ lines }: Source, first: number, last: number) {
  const shown = lines.slice(first, Math.min(last, first + QUOTED_LINES - 1) + 1);
  return {
    line: lines[first]?.number ?? 1,
    endLine: lines[last]?.number ?? 1,
    quote: shown.map(({ text }) => text).join('\n'),
  };
}
