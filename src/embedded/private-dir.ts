/** Makes a folder that only this user can enter, and refuses one that anybody else could tamper with. */
import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
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
  await makeFolder(path).catch((error: unknown) => {
    throw refuse(isCode(error, 'ENOTDIR') ? 'lies under a file' : 'cannot be made', error);
  });
  const found = await stat(path).catch((error: unknown) => {
    throw refuse('cannot be looked at', error);
  });
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

/** Not by `recursive: true`, with which Node 20 never comes back where a folder exists that nothing can be made in. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (isCode(error, 'EEXIST')) return;
    const parent = dirname(path);
    if (!isCode(error, 'ENOENT') || parent === path) throw error;
    await makeFolder(parent);
    await mkdir(path, { mode: 0o700 }).catch((second: unknown) => {
      if (!isCode(second, 'EEXIST')) throw second;
    });
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
