/** Shows what a rewrite changes, as a bounded unified diff. */
import { formatPatch, structuredPatch } from 'diff';

/** A diff and its size. */
export interface ShownDiff {
  readonly text: string;
  /** Whether `text` is only its beginning. */
  readonly cut: boolean;
  readonly added: number;
  readonly removed: number;
}

/** Characters of one diff that are shown. */
const SHOWN_CHARS = 12_000;

/** Compares two texts line by line. */
export function unifiedDiff(path: string, before: string, after: string): ShownDiff {
  const patch = structuredPatch(`a/${path}`, `b/${path}`, before, after, '', '', { context: 3 });
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const text = formatPatch(patch)
    .replace(/^=+\n/, '')
    .replace(/^(---|\+\+\+) (.*?)\t?$/gm, '$1 $2');
  const end = text.length > SHOWN_CHARS ? text.lastIndexOf('\n', SHOWN_CHARS) + 1 : text.length;
  return {
    text: text.slice(0, end),
    cut: end < text.length,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
