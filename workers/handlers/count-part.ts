/** Does a part of a scan: counts the files it was given; its progress is the number of files done. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Handler } from '../../src/core/tool.js';
import type { countPart } from '../../src/tools/count-part.js';
import { countFiles, createSharedPool } from '../analysis/scan.js';
import { unpack } from './packed.js';

/** How the handler uses the machine. */
export interface CountPartOptions {
  /** Threads of one part; 0 to let the number of files and cores decide. */
  readonly threads: number;
}

/** Builds the handler. Skipped files are in the tables it returns; it logs none, since its job tells of all together. */
export function createCountPart({ threads }: CountPartOptions): Handler<typeof countPart> {
  const pool = createSharedPool(threads);
  return async (input, context) => {
    // This may be another machine than the one that listed the tree.
    const root = await resolveAllowedFolder(input.root, context.allowedFolders);
    const counts = await countFiles(root, unpack(input.files) as string[], {
      maxFileBytes: input.max_file_bytes,
      pool,
      threads,
      handwritten: input.handwritten,
      signal: context.signal,
      onProgress: ({ done }) => context.progress({ progress: done }),
    });
    return { counts: counts as unknown as JsonObject };
  };
}
