/** Says where counts are remembered: in a folder of the cache that only this user can enter. */
import { join } from 'node:path';
import type { Config } from '../src/config.js';
import { ensurePrivateDir } from '../src/embedded/private-dir.js';
import { openCountCache } from './analysis/scan.js';
import type { OpenCache } from './handlers/scan-cache.js';

/** The folder of the counts within the cache folder. */
const FOLDER = 'counts';

/** Builds what opens the cache; it rejects where the folder is not private, and gives nothing where the size is 0. */
export function createScanCache({ cacheDir, scanCacheBytes }: Pick<Config, 'cacheDir' | 'scanCacheBytes'>): OpenCache {
  const folder = join(cacheDir, FOLDER);
  return async (root) => {
    if (scanCacheBytes === 0) return undefined;
    for (const place of [cacheDir, folder])
      await ensurePrivateDir(place, 'cache folder', 'choose another with LONGHAUL_CACHE_DIR');
    return openCountCache({ folder, root, maxBytes: scanCacheBytes });
  };
}
