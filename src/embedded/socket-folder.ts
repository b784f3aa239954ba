/**
 * Gives the data folder a path short enough for unix sockets, whose addresses hold 107 bytes (103 on macOS).
 *
 * The sockets always lie in the data folder, so that it alone decides who shares a server. Where its path is too long,
 * they are reached through a symlink in a private folder; processes with other temporary folders use other links to
 * the same sockets.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../core/errors.js';
import { ensurePrivateDir } from './private-dir.js';

/** The server's socket in the folder that `socketFolder` answers. */
export const REDIS_SOCKET = 'redis.sock';

const ADDRESS_LIMIT_BYTES = 103;
const LONGEST_NAME = '/guardian/12345678';

/**
 * Resolves with `dataDir` itself, or with a symlink to it (made if missing) in `runtimeDir`/longhaul-<uid>, mode 0700.
 *
 * Throws `AppError('invalid_configuration')` when that folder is not this user's alone, or too long itself.
 */
export async function socketFolder(dataDir: string, runtimeDir: string): Promise<string> {
  if (fits(dataDir)) return dataDir;
  const parent = join(runtimeDir, `longhaul-${process.geteuid?.() ?? 'user'}`);
  const link = join(parent, createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
  if (!fits(link)) {
    const message = `Neither ${dataDir} nor ${link} is short enough for a unix socket; choose a shorter LONGHAUL_DATA_DIR`;
    throw new AppError('invalid_configuration', message);
  }
  await ensurePrivateDir(parent, 'folder for sockets', 'remove it, or choose a shorter LONGHAUL_DATA_DIR');
  await restoreSocketFolder(dataDir, link);
  return link;
}

/** Makes the link again if the guardian before, in its last act, has removed it since `socketFolder` answered. */
export async function restoreSocketFolder(dataDir: string, folder: string): Promise<void> {
  if (folder === dataDir || (await readlink(folder).catch(() => undefined)) === dataDir) return;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  // By a rename, so that processes which do this at once never find the link missing.
  const fresh = `${folder}.${process.pid}`;
  await rm(fresh, { force: true });
  await symlink(dataDir, fresh);
  await rename(fresh, folder);
}

/** Removes a symlink that `socketFolder` made, and its parent if that is empty then; leaves `dataDir` itself alone. */
export async function removeSocketFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isSymbolicLink()) return;
  await rm(folder, { force: true });
  await rmdir(dirname(folder)).catch(() => undefined);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(folder + LONGEST_NAME) <= ADDRESS_LIMIT_BYTES;
}
