/** Does a part of a scan: counts the files it was given; its progress is the number of files done. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Handler } from '../../src/core/tool.js';
import type { countPart } from '../../src/tools/count-part.js';
import { countFiles, type ThreadPool } from '../analysis/scan.js';
import { unpack } from './packed.js';
import { type OpenCache, openForScan, saveAfterScan } from './scan-cache.js';
import { createScanTables } from './scan-tables.js';
import type { NameSearch } from './shown-rows.js';

/** How the handler uses the machine. */
export interface CountPartOptions extends NameSearch {
  /** Threads of one part; 0 to let the number of files and cores decide. */
  readonly threads: number;
  /** Threads that stay warm from one part to the next. */
  readonly pool: ThreadPool;
  /** Opens what is remembered of earlier scans; a part adds what it finds out. */
  readonly openCache: OpenCache;
}

/**
 * Builds the handler. Its files go into the tables of its job one by one; what it returns is as small for many as for few.
 * Skipped files are in there too; it logs none, since its job tells of all together.
 */
export function createCountPart({ threads, pool, openCache, ...search }: CountPartOptions): Handler<typeof countPart> {
  return async (input, context) => {
    // This may be another machine than the one that listed the tree.
    const root = await resolveAllowedFolder(input.root, context.allowedFolders);
    const files = unpack(input.files) as string[];
    const tables = createScanTables(context, search, files);
    const cache = input.use_cache ? await openForScan(openCache, { root, recall: input.recall }, context) : undefined;
    const counts = await countFiles(root, files, {
      maxFileBytes: input.max_file_bytes,
      pool,
      threads,
      handwritten: input.handwritten,
      cache,
      signal: context.signal,
      onChunk: tables.note,
      onProgress: ({ done }) => context.progress({ progress: done }),
    });
    await tables.written();
    await saveAfterScan(cache, context);
    return { counts: counts as unknown as JsonObject, from_cache: cache?.recalled() ?? 0 };
  };
}
