/** Keeps the files of a job as they were, in a folder inside the tree that every worker which can write it can reach. */
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../src/core/errors.js';
import type { JobId } from '../../src/core/ids.js';
import { fingerprintBytes } from './fingerprint-bytes.js';
import { type OpenFolder, openFolder, readOwnFile } from './open-folder.js';

/** Name of the folder of backups, at the top of the folder that is refactored. */
export const BACKUP_FOLDER = '.longhaul-backup';

/** A file to keep. */
export interface Kept {
  readonly path: string;
  readonly oldHash: string;
  readonly newHash: string;
}

/** Where the files of a job are kept. */
export function backupOf(root: string, jobId: JobId): string {
  return join(root, BACKUP_FOLDER, jobId);
}

/**
 * Keeps every file and a list of them; returns the paths of those that changed since they were read, which are not kept.
 * Repeating it is harmless as long as none has been rewritten. Throws `handler_failed` if a file cannot be kept.
 */
export async function backUp(root: string, jobId: JobId, files: readonly Kept[]): Promise<string[]> {
  const folder = await openBackup(root, jobId);
  try {
    const changed: string[] = [];
    for (const file of files) if (!(await keep(root, folder, file))) changed.push(file.path);
    const kept = files.filter(({ path }) => !changed.includes(path));
    await store(folder, 'manifest.json', Buffer.from(`${JSON.stringify({ jobId, root, files: kept }, null, 2)}\n`));
    await folder.sync();
    return changed;
  } catch (error) {
    throw notKept(root, String(Reflect.get(Object(error), 'code') ?? 'fault'), error);
  } finally {
    await folder.close();
  }
}

/** Made step by step, each opened without following links: what stands there may be somebody else's. */
async function openBackup(root: string, jobId: JobId): Promise<OpenFolder> {
  const top = await made(root, BACKUP_FOLDER);
  const place = await made(top, jobId);
  await hide(top);
  const folder = await openFolder(place);
  if (!folder) throw notKept(root, 'it is a link');
  return folder;
}

/** Keeps git, and all that heeds its rules, from listing the backups. */
async function hide(top: string): Promise<void> {
  const folder = await openFolder(top);
  if (!folder) throw notKept(top, 'it is a link');
  try {
    await writeFile(folder.at('.gitignore'), '*\n', { flag: 'wx' }).catch(ignoreExisting);
  } catch (error) {
    throw notKept(top, String(Reflect.get(Object(error), 'code')), error);
  } finally {
    await folder.close();
  }
}

async function made(parent: string, name: string): Promise<string> {
  const folder = await openFolder(parent);
  if (!folder) throw notKept(parent, 'it is a link, or its folder is gone');
  try {
    await mkdir(folder.at(name), { mode: 0o700 }).catch(ignoreExisting);
  } catch (error) {
    throw notKept(parent, String(Reflect.get(Object(error), 'code')), error);
  } finally {
    await folder.close();
  }
  return join(parent, name);
}

async function keep(root: string, backup: OpenFolder, { path, oldHash }: Kept): Promise<boolean> {
  const place = join('files', path);
  const there = await readFile(backup.at(place)).catch(() => undefined);
  if (there && fingerprintBytes(there) === oldHash) return true;
  const folder = await openFolder(dirname(join(root, path)));
  if (!folder) return false;
  const read = await readOwnFile(folder.at(basename(path)), Number.MAX_SAFE_INTEGER).finally(() => folder.close());
  if (!read.ok || read.file.hash !== oldHash) return false;
  await mkdir(dirname(backup.at(place)), { recursive: true, mode: 0o700 });
  await store(backup, place, read.file.bytes, Number(read.file.stats.mode & 0o777n));
  return true;
}

/** Written whole or not at all, and on the disk before anything else is touched. */
async function store(folder: OpenFolder, name: string, bytes: Buffer, mode = 0o600): Promise<void> {
  const temp = folder.at(`${name}.tmp`);
  const handle = await open(
    temp,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    mode,
  );
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temp, folder.at(name));
}

function ignoreExisting(error: unknown): void {
  if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error;
}

function notKept(where: string, why: string, cause?: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError(
    'handler_failed',
    `The backup could not be made in ${join(where, BACKUP_FOLDER)} (${why}), so nothing was written. Make sure that the server may write there and has room, then call again.`,
    { cause },
  );
}
