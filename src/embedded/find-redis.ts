/** Finds a Redis or Valkey server program: on PATH, in our cache, or in the distribution's package. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../core/errors.js';
import { cacheFolder, fetchRedis, packagedBinary } from './fetch-redis.js';
import { inspectBinary, type RedisBinary } from './inspect-binary.js';
import { ensurePrivateDir } from './private-dir.js';

/** Where a program came from: the caller's PATH, our cache, or the package just fetched into that cache. */
export type BinarySource = 'path' | 'cache' | 'package';

/** Takes a line of news; `data` holds facts for a structured log. */
export type EmbeddedLog = (level: 'debug' | 'info' | 'warn', message: string, data?: Record<string, unknown>) => void;

/** Where and how to look. */
export interface FindOptions {
  /** The folders of PATH, in order; relative ones are skipped. */
  pathFolders: readonly string[];
  /** Absolute; made with mode 0700 when a package is fetched or looked up. */
  cacheDir: string;
  /** Whether the distribution's package may be downloaded; default true. */
  allowFetch?: boolean | undefined;
  /** An abort ends a download and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  onLog?: EmbeddedLog | undefined;
}

const PROGRAMS = ['redis-server', 'valkey-server'];

const INSTALL_HINT = `Install one, then start again:
  Debian, Ubuntu  sudo apt-get install redis-server
  Fedora          sudo dnf install valkey
  Alpine          sudo apk add redis
  macOS           brew install redis
or set LONGHAUL_REDIS_URL to a server of your own, e.g. redis://localhost:6379.`;

/**
 * Finds a server program of Redis 6.2 or newer or of any Valkey, asking each candidate for its `--version`.
 *
 * Tries PATH, then the cache, then (unless `allowFetch` is false) the distribution's package. A program that does not
 * run or is too old is passed over with a log line. Throws `AppError('redis_not_found')`, which names what was tried
 * and what to install per platform.
 */
export async function findRedis(options: FindOptions): Promise<RedisBinary & { source: BinarySource }> {
  const onPath = await findOnPath(options);
  if (onPath) return { ...onPath, source: 'path' };
  await ensurePrivateDir(options.cacheDir, 'cache folder', 'choose another with LONGHAUL_CACHE_DIR');
  const folder = await cacheFolder(options.cacheDir);
  const cached = await findInFolder(folder);
  if (cached) return { ...cached, source: 'cache' };
  if (options.allowFetch === false) throw notFound('downloading the package is switched off');
  // A warning, so that a person who runs a command sees what is downloaded, and why nothing else happens for a while.
  options.onLog?.('warn', 'No Redis server is installed; fetching the package of the distribution into the cache');
  const fault = await fetchRedis({ folder, signal: options.signal });
  const fetched = await findInFolder(folder);
  if (!fetched) throw notFound(fault ?? 'the package holds no server that runs here');
  return { ...fetched, source: 'package' };
}

async function findOnPath(options: FindOptions): Promise<RedisBinary | undefined> {
  const candidates = options.pathFolders
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => PROGRAMS.map((program) => join(folder, program)));
  for (const path of candidates) {
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!executable) continue;
    const found = await inspectBinary(path, undefined, options.signal);
    if (found.fault === undefined) return found;
    options.onLog?.('warn', `Passed over ${path}: ${found.fault}`, { path });
  }
  return undefined;
}

async function findInFolder(folder: string): Promise<RedisBinary | undefined> {
  const packaged = await packagedBinary(folder);
  if (!packaged) return undefined;
  const found = await inspectBinary(packaged.path, packaged.libraryPath);
  return found.fault === undefined ? found : undefined;
}

function notFound(fault: string): AppError {
  const looked = `looked for ${PROGRAMS.join(' and ')} (Redis 6.2 or newer, any Valkey) on PATH and in the cache`;
  const message = `No Redis server was found: ${looked}; the distribution's package could not be used (${fault}). ${INSTALL_HINT}`;
  return new AppError('redis_not_found', message);
}
