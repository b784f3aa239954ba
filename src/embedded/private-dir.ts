/** Makes a folder that only this user can enter, and refuses one that anybody else could tamper with. */
import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { AppError } from '../core/errors.js';

const GROUP_OR_WORLD_WRITABLE = 0o022;

/**
 * Makes `path` (absolute) with mode 0700 if it is missing, and checks that it is a folder of this user's that no one
 * else can write to. `label` names the folder in messages, e.g. `data folder`, `remedy` says what to do instead.
 *
 * Throws `AppError('invalid_configuration')` whose sentence says what is wrong and what to do.
 */
export async function ensurePrivateDir(path: string, label: string, remedy: string): Promise<void> {
  const refuse = (what: string, cause?: unknown) =>
    new AppError('invalid_configuration', `The ${label} ${path} ${what}; ${remedy}`, { cause });
  if (!isAbsolute(path)) throw refuse('is not an absolute path');
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refuse(isExisting(error) ? 'is not a folder, or lies under a file' : 'cannot be made', error);
  }
  const found = await stat(path);
  if (!found.isDirectory()) throw refuse('is not a folder');
  const uid = process.geteuid?.();
  if (uid !== undefined && found.uid !== uid) throw refuse(`belongs to user ${found.uid}, not to user ${uid}`);
  if (found.mode & GROUP_OR_WORLD_WRITABLE) {
    throw refuse(`can be written by other users (mode ${(found.mode & 0o777).toString(8)}, expected 700)`);
  }
  await access(path, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw refuse('cannot be written', error);
  });
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTDIR');
}
