/** Reads the text of a listed file within a size limit; a file that cannot be read is a named problem, never an exception. */

import type { SkipReason } from '../counts.js';
import { decodeText } from '../decode.js';
import { encodePath } from '../paths.js';
import { createFileReader } from '../read-file.js';

/** A text, or why there is none. */
export type SourceText = { readonly text: string } | { readonly problem: string };

const REASONS: Readonly<Partial<Record<SkipReason, string>>> = {
  too_large:
    'This is larger than the limit for such files, or needs more memory than a metric may take, and was not read.',
  vanished: 'This vanished before it could be read.',
  unreadable: 'This could not be read: check its permissions.',
};

/** Creates a reader of texts below `root`; never opens what could block, follows no link, takes at most `maxBytes`. */
export function createSourceReader(root: string): (path: string, maxBytes: number) => SourceText {
  return (path, maxBytes) => {
    // A reader for each file: the next must not keep the memory of the largest before it.
    const outcome = createFileReader(Math.floor(maxBytes)).read(encodePath(`${root}/${path}`));
    if ('skip' in outcome) return { problem: REASONS[outcome.skip] ?? `This is no regular file (${outcome.skip}).` };
    const range = decodeText(outcome.buffer, outcome.length);
    if (range === undefined) return { problem: 'This holds NUL bytes: it is not the text that its name promises.' };
    return { text: range.bytes.toString('utf8', range.start, range.end) };
  };
}
