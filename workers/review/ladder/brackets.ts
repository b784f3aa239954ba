/** Finds the JSON objects and lists within any text, in time linear in its length, and tells which of them are closed. */

/** A region from an opening bracket to the one that closes it. */
export interface Region {
  readonly start: number;
  /** Behind the closing bracket. */
  readonly end: number;
  /** Whether a bracket before it was never closed, so that it may be a piece of something that broke off. */
  readonly loose: boolean;
}

/** Deeper nesting is no answer of any form of ours, and a trap for whoever reads it recursively. */
const DEEPEST = 64;
/** An opening that is never closed costs a scan to the end; after so many, the text is taken for no JSON. */
const MOST_OPEN = 32;
/** Closed regions that are looked at, from the end. */
const MOST_REGIONS = 64;

/** Brackets as they open JSON of our forms: an object with a key or none, or a list of objects. */
const BEGINNING = /\{(?=\s{0,200}["'}A-Za-z_])|\[(?=\s{0,200}[{\]])/g;

/** The outermost closed regions, first to last; the last ones if there are very many. */
export function closedRegions(text: string): readonly Region[] {
  const regions: Region[] = [];
  let open = 0;
  let from = 0;
  while (open < MOST_OPEN) {
    BEGINNING.lastIndex = from;
    const start = BEGINNING.exec(text)?.index;
    if (start === undefined) break;
    const end = closingOf(text, start);
    if (end === undefined) open += 1;
    else regions.push({ start, end, loose: open > 0 });
    from = end ?? start + 1;
  }
  return regions.slice(-MOST_REGIONS);
}

/** The end of the region that opens at `start`; undefined if nothing closes it, or it nests too deep to be an answer. */
export function closingOf(text: string, start: number): number | undefined {
  const expected: string[] = [];
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === '{' || char === '[') expected.push(char === '{' ? '}' : ']');
    else if (char === '}' || char === ']') {
      if (expected.pop() !== char) return undefined;
    } else continue;
    if (expected.length === 0) return at + 1;
    if (expected.length > DEEPEST) return undefined;
  }
  return undefined;
}

/** The text outside double-quoted strings, for whoever looks for what is no JSON. */
export function outsideStrings(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', from)) {
    parts.push(text.slice(from, at));
    from = endOfString(text, at) + 1;
  }
  return [...parts, text.slice(from)].join(' ');
}

/** The place of the quote that ends the string beginning at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
