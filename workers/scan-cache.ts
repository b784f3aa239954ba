/** Says where counts are remembered: in a folder of the cache that only this user can enter. */
import { join } from 'node:path';
import type { Config } from '../src/config.js';
import { ensurePrivateDir } from '../src/embedded/private-dir.js';
import { openComplexityCache } from './analysis/complexity/measure-complexity.js';
import { openCountCache } from './analysis/scan.js';
import type { OpenMetricCache } from './handlers/metrics/metric-cache.js';
import type { OpenCache } from './handlers/scan-cache.js';

/** The folder of the counts within the cache folder. */
const FOLDER = 'counts';

type CacheSettings = Pick<Config, 'cacheDir' | 'scanCacheBytes'>;

/** Builds what opens the cache; it rejects where the folder is not private, and gives nothing where the size is 0. */
export function createScanCache({ cacheDir, scanCacheBytes }: CacheSettings): OpenCache {
  return async (wish) => {
    if (scanCacheBytes === 0) return undefined;
    return openCountCache({ ...wish, folder: await privateFolder(cacheDir), maxBytes: scanCacheBytes });
  };
}

/** The same for measurements, which lie beside the counts and share their bound. */
export function createMetricCache({ cacheDir, scanCacheBytes }: CacheSettings): OpenMetricCache {
  return async (root) => {
    if (scanCacheBytes === 0) return undefined;
    return openComplexityCache({ folder: await privateFolder(cacheDir), root, maxBytes: scanCacheBytes });
  };
}

async function privateFolder(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, FOLDER);
  for (const place of [cacheDir, folder])
    await ensurePrivateDir(place, 'cache folder', 'choose another with LONGHAUL_CACHE_DIR');
  return folder;
}
