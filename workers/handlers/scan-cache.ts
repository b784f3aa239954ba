/** The cache of counts as handlers use it: wherever it fails, files are read instead, and the client is told. */
import type { HandlerContext } from '../../src/core/tool.js';
import type { CountCache } from '../analysis/scan.js';

/** Which cache to open. */
export interface CacheWish {
  /** The absolute real path of a tree. */
  readonly root: string;
  /** Whether to read what is known; without it the cache only takes. Default true. */
  readonly recall?: boolean | undefined;
}

/** Opens the cache of a tree; undefined where nothing is to be remembered. */
export type OpenCache = (wish: CacheWish) => Promise<CountCache | undefined>;

/** Who is told of a failure. Messages name no path: where the cache lies is the operator's. */
type Told = Pick<HandlerContext, 'log'>;

/** Opens the cache for a scan; undefined as well where it cannot be opened. */
export async function openForScan(open: OpenCache, wish: CacheWish, context: Told): Promise<CountCache | undefined> {
  return open(wish).catch(() => {
    context.log('warning', {
      message: 'The cache cannot be used, so every file is read; `longhaul doctor` tells why.',
    });
    return undefined;
  });
}

/** Writes down what a scan found out. */
export async function saveAfterScan(cache: CountCache | undefined, context: Told): Promise<void> {
  await cache?.save().catch(() => {
    context.log('warning', { message: 'The cache could not be written, so the next scan reads the same files again.' });
  });
}
