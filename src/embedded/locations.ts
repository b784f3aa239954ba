/** Says where Longhaul keeps its data and its cache; looks at nothing but its arguments. */
import { join } from 'node:path';

/** The two folders, as absolute paths where the settings are absolute. */
export interface DataLocations {
  /** Holds the durable data: Redis' append-only file, its log and its sockets. */
  dataDir: string;
  /** Holds what can be fetched again: the Redis binary of the distribution's package. */
  cacheDir: string;
}

/**
 * Works out the data and cache folders from the environment.
 *
 * Data: `LONGHAUL_DATA_DIR`, else `$XDG_DATA_HOME/longhaul`, else `~/Library/Application Support/longhaul` on macOS,
 * else `~/.local/share/longhaul`. Cache: `LONGHAUL_CACHE_DIR`, else `$XDG_CACHE_HOME/longhaul`, else
 * `~/.cache/longhaul`. An empty variable counts as unset; a relative XDG folder is ignored, as the XDG Base Directory
 * specification demands. Pure: reads no environment and no disk.
 */
export function dataLocations(
  env: Record<string, string | undefined>,
  home: string,
  platform: string = process.platform,
): DataLocations {
  const dataHome = platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.local', 'share');
  return {
    dataDir: env.LONGHAUL_DATA_DIR || join(absolute(env.XDG_DATA_HOME) ?? dataHome, 'longhaul'),
    cacheDir: env.LONGHAUL_CACHE_DIR || join(absolute(env.XDG_CACHE_HOME) ?? join(home, '.cache'), 'longhaul'),
  };
}

function absolute(folder: string | undefined): string | undefined {
  return folder?.startsWith('/') ? folder : undefined;
}
