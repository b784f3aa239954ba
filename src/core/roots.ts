/** Roots: the folders a client says it works in. */
import { z } from 'zod';
import { pathOfFileUri } from './allowed-folders.js';

// Loose on purpose: one root that is no `file:` URI must not spoil the others.
const answerSchema = z.looseObject({ roots: z.array(z.looseObject({ uri: z.string() })) });

/** The absolute local folders in an answer to `roots/list`; undefined if it is no such answer. */
export function readRoots(raw: unknown): readonly string[] | undefined {
  const roots = answerSchema.safeParse(raw).data?.roots;
  return roots?.map(({ uri }) => pathOfFileUri(uri)).filter((folder) => folder !== undefined);
}
