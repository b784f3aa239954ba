/** Roots: the folders a client says it works in. */
import { z } from 'zod';
import { pathOfFileUri } from './allowed-folders.js';

/** A root as the client named it; `folder` is its absolute local path, absent if it is no `file:` URI. */
export const clientRootSchema = z.object({
  uri: z.string(),
  name: z.string().optional(),
  folder: z.string().optional(),
});

/** See `clientRootSchema`. */
export type ClientRoot = Readonly<z.infer<typeof clientRootSchema>>;

// Loose on purpose: one root that is no `file:` URI must not spoil the others.
const rootSchema = z.looseObject({ uri: z.string(), name: z.string().optional().catch(undefined) });
const answerSchema = z.looseObject({ roots: z.array(rootSchema) });

/** The roots in an answer to `roots/list`; undefined if it is no such answer. */
export function readRoots(raw: unknown): readonly ClientRoot[] | undefined {
  const roots = answerSchema.safeParse(raw).data?.roots;
  return roots?.map(({ uri, name }) => {
    const folder = pathOfFileUri(uri);
    return { uri, ...(name !== undefined && { name }), ...(folder !== undefined && { folder }) };
  });
}

/** The local folders among roots. */
export function rootFolders(roots: readonly ClientRoot[]): readonly string[] {
  return roots.map(({ folder }) => folder).filter((folder) => folder !== undefined);
}
