/** Finds the line that names something, for formats whose parsers forget places. */

const TOKEN = /[^\s"'`=<>~!^,;:()[\]{}|]+/g;
/** A line longer than this, such as a minified file's, is indexed only so far. */
const MOST_INDEXED = 10_000;

/** Finds lines by the word on them, counting from one. */
export interface PlaceFinder {
  /** The first line with `word` at or behind the first line with `section`; without one the first of all. */
  line(word: string, section?: string): number | undefined;
}

/** Indexes a text once, so that each question is cheap. */
export function createPlaceFinder(text: string): PlaceFinder {
  const lines = new Map<string, number[]>();
  const add = (word: string, line: number) => {
    const known = lines.get(word);
    if (known === undefined) lines.set(word, [line]);
    else if (known.at(-1) !== line) known.push(line);
  };
  text.split('\n').forEach((content, index) => {
    for (const [word] of content.slice(0, MOST_INDEXED).matchAll(TOKEN)) {
      add(word, index + 1);
      // A dotted key names its first part too, and a section its last.
      if (word.includes('.')) add(word.slice(0, word.indexOf('.')), index + 1);
    }
  });
  return {
    line(word, section) {
      const from = section === undefined ? 1 : (lines.get(section)?.[0] ?? 1);
      const found = lines.get(word);
      return found?.find((line) => line >= from) ?? found?.[0];
    },
  };
}
