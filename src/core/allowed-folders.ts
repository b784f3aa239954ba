/** The path boundary: which folder a caller's path really means, and whether it lies inside the allowed ones. */
import { constants, type Stats } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from './errors.js';

/**
 * Resolves `path` to the real folder it names. Relative paths start at the first allowed folder; `file:` URLs are taken.
 * Both the written and the real path must lie inside an allowed folder, so neither `..` nor a link leads out.
 * Throws `path_not_allowed`, `path_not_found`, `path_not_a_folder` or `path_not_readable`; an outside path is not looked at.
 */
export async function resolveAllowedFolder(path: string, allowed: readonly string[]): Promise<string> {
  const real = await realPathInside(path, allowed);
  if (!(await statReadable(real, path)).isDirectory())
    throw new AppError(
      'path_not_a_folder',
      `path: ${JSON.stringify(path)} is not a folder. Give the folder that holds it.`,
    );
  return real;
}

/** A path inside the allowed folders, and what it names. */
export interface AllowedPath {
  readonly real: string;
  readonly kind: 'file' | 'folder';
}

/** As `resolveAllowedFolder`, for a regular file or a folder. */
export async function resolveAllowedPath(path: string, allowed: readonly string[]): Promise<AllowedPath> {
  const real = await realPathInside(path, allowed);
  const found = await statReadable(real, path);
  if (found.isDirectory()) return { real, kind: 'folder' };
  if (found.isFile()) return { real, kind: 'file' };
  throw new AppError(
    'path_not_readable',
    `path: ${JSON.stringify(path)} is neither a folder nor a regular file. Give a file or the folder that holds it.`,
  );
}

async function realPathInside(path: string, allowed: readonly string[]): Promise<string> {
  const wanted = absolutePath(path, allowed);
  const reals = await realFolders(allowed);
  const homes = [...allowed.map((folder) => resolve(folder)), ...reals];
  if (!isInside(wanted, homes)) throw notAllowed(path, allowed);
  const real = await realPathOf(wanted);
  if (!isInside(real, reals)) throw notAllowed(path, allowed);
  return real;
}

/** Whether `path` is one of `folders` or below one; both absolute and normalised, so `/a` does not hold `/ab`. */
export function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${'/'}`) && !way.startsWith('..\\'));
  });
}

/** The local path of a `file:` URI, as clients name their roots; undefined for any other URI, or one that hides a NUL. */
export function pathOfFileUri(uri: string): string | undefined {
  try {
    const path = uri.startsWith('file://') ? resolve(fileURLToPath(uri)) : undefined;
    return path?.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

function absolutePath(path: string, allowed: readonly string[]): string {
  if (path.includes('\0'))
    throw new AppError('invalid_arguments', 'path: holds a NUL character. Give a plain folder path.');
  const [base] = allowed;
  if (base === undefined) throw notAllowed(path, allowed);
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return resolve(base, path);
  const local = pathOfFileUri(path);
  if (local !== undefined) return local;
  throw new AppError(
    'invalid_arguments',
    `path: ${JSON.stringify(path)} is not a local folder. Give a path or a file:// URI.`,
  );
}

async function realFolders(folders: readonly string[]): Promise<string[]> {
  const reals = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return reals.filter((real) => real !== undefined);
}

/** The real path of what exists, with the rest appended: a file about to be made under a link is judged by its target. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || !isMissing(error)) return path;
    return join(await realPathOf(parent), basename(path));
  }
}

/** What a path names, if it can be read: a folder also entered. Pipes and the like are told apart before they are touched. */
async function statReadable(real: string, asked: string): Promise<Stats> {
  const shown = JSON.stringify(asked);
  const unreadable = `path: ${shown} cannot be read by the server. Check its permissions.`;
  let found: Stats;
  try {
    found = await stat(real);
  } catch (cause) {
    if (isMissing(cause))
      throw new AppError('path_not_found', `path: ${shown} does not exist. Check the spelling.`, { cause });
    throw new AppError('path_not_readable', unreadable, { cause });
  }
  if (!found.isDirectory() && !found.isFile()) return found;
  try {
    await access(real, found.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
  } catch (cause) {
    throw new AppError('path_not_readable', unreadable, { cause });
  }
  return found;
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function notAllowed(path: string, allowed: readonly string[]): AppError {
  const named = allowed.length === 0 ? 'none; start the server with --root DIR' : [...new Set(allowed)].join(', ');
  return new AppError(
    'path_not_allowed',
    `path: ${JSON.stringify(path)} is outside the allowed folders (${named}). Give a path inside one of them.`,
  );
}
