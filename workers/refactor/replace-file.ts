/** Puts a new file in the place of an old one: whole, at once, and only if the old one is still what it was. */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type OpenFolder, type OwnFile, openFolder, readOwnFile } from './open-folder.js';

/** What to replace, and by what. */
export interface Replacement {
  /** The real path of the folder that `path` is relative to. */
  readonly root: string;
  readonly path: string;
  readonly oldHash: string;
  readonly newHash: string;
  /** Name of the file that is written beside the old one first; one of that name is ours and left from a crash. */
  readonly tempName: string;
  /** The new bytes for the old ones; their hash is `newHash`. */
  rewrite(old: Buffer): Buffer;
}

/** What came of it. */
export type Replaced =
  | { readonly kind: 'written' }
  | { readonly kind: 'changed_meanwhile'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Larger than any file that is put to a model; a file that grew beyond it has changed. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Replaces the file, keeping mode and owner; access lists and extended attributes are not kept. Repeating it is harmless:
 * a file that is the new one already counts as written.
 */
export async function replaceFile(replacement: Replacement): Promise<Replaced> {
  const { root, path, oldHash, newHash } = replacement;
  const changed = (reason: string): Replaced => ({ kind: 'changed_meanwhile', reason });
  const folder = await openFolder(dirname(join(root, path)));
  if (!folder) return changed('Its folder is not where it was.');
  try {
    const read = await readOwnFile(folder.at(basename(path)), MOST_BYTES);
    if (!read.ok) return changed(`It is not the file that was read: ${read.reason}.`);
    if (read.file.hash === newHash) return { kind: 'written' };
    if (read.file.hash !== oldHash) return changed('It was changed since it was read, so it was left alone.');
    return await swap(folder, replacement, read.file);
  } catch (error) {
    return {
      kind: 'failed',
      reason: `It could not be written (${String(Reflect.get(Object(error), 'code') ?? 'fault')}).`,
    };
  } finally {
    await folder.close();
  }
}

async function swap(folder: OpenFolder, { path, tempName, rewrite }: Replacement, old: OwnFile): Promise<Replaced> {
  const temp = folder.at(tempName);
  const place = folder.at(basename(path));
  await unlink(temp).catch(() => undefined);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temp, flags, 0o600);
  try {
    await fill(handle, rewrite(old.bytes), old.stats).finally(() => handle.close());
    // The last look before the act: whoever saves in between is not overwritten.
    if (!isSame(await lstat(place, { bigint: true }), old.stats)) {
      await unlink(temp);
      return { kind: 'changed_meanwhile', reason: 'It was changed since it was read, so it was left alone.' };
    }
    await rename(temp, place);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
  await folder.sync();
  return { kind: 'written' };
}

/** Owner before mode: a change of owner takes the set-user-id bits away. */
async function fill(handle: FileHandle, bytes: Buffer, like: BigIntStats): Promise<void> {
  await handle.writeFile(bytes);
  const made = await handle.stat({ bigint: true });
  if (made.uid !== like.uid || made.gid !== like.gid) await handle.chown(Number(like.uid), Number(like.gid));
  await handle.chmod(Number(like.mode & 0o7777n));
  await handle.sync();
}

function isSame(now: BigIntStats, then: BigIntStats): boolean {
  return (
    now.isFile() &&
    now.dev === then.dev &&
    now.ino === then.ino &&
    now.size === then.size &&
    now.mtimeNs === then.mtimeNs &&
    now.ctimeNs === then.ctimeNs
  );
}
