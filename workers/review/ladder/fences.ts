/** The fenced blocks of an answer. */

/** Blocks that are looked at, from the end; nobody answers with more. */
const MOST_BLOCKS = 32;

/** Lines before and after a block that are taken for being about it. */
const AROUND = 40;

/** A fenced block, and whether its closing fence was there. */
export interface FencedBlock {
  readonly text: string;
  readonly closed: boolean;
  /** The nearest lines outside the block, where a model says what it thinks of its answer. */
  readonly around: string;
}

/** The blocks, last to first; a JSON string may hold fences itself, so from the first fence to the last is one as well. */
export function fencedBlocks(text: string): readonly FencedBlock[] {
  const lines = text.split('\n');
  const fences = lines.flatMap((line, index) => (/^\s*(?:`{3,}|~{3,})/.test(line) ? [index] : []));
  const [first] = fences;
  if (first === undefined) return [];
  const block = (open: number, close: number | undefined): FencedBlock => ({
    text: lines.slice(open + 1, close).join('\n'),
    closed: close !== undefined,
    around: [
      ...lines.slice(Math.max(0, open - AROUND), open),
      ...(close === undefined ? [] : lines.slice(close + 1, close + 1 + AROUND)),
    ].join('\n'),
  });
  const pairs: FencedBlock[] = [];
  const beginning = Math.max(0, fences.length - 2 * MOST_BLOCKS) & ~1;
  for (let index = beginning; index < fences.length; index += 2)
    pairs.push(block(fences[index] ?? 0, fences[index + 1]));
  const last = fences.at(-1) ?? first;
  return fences.length > 2 ? [...pairs.reverse(), block(first, last)] : pairs;
}
