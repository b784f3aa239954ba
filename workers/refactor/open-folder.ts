/** Holds a folder open and reads files in it, so that no link put in its place between a check and an act leads elsewhere. */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { fingerprintBytes } from './fingerprint-bytes.js';

/** A folder held open. */
export interface OpenFolder {
  /** What to hand to the file system for an entry: goes through the held folder where the system can (Linux). */
  at(name: string): string;
  /** Makes renames in it last. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the folder whose real path this is; undefined if there is none, or the path leads elsewhere by now. */
export async function openFolder(path: string): Promise<OpenFolder | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(unlessGone);
  if (handle === undefined) return undefined;
  const held = `/proc/self/fd/${handle.fd}`;
  const real = await realpath(held).catch(() => undefined);
  const base = real === undefined ? path : held;
  if ((real ?? (await realpath(path).catch(() => undefined))) !== path) {
    await handle.close();
    return undefined;
  }
  return {
    at: (name) => `${base}/${name}`,
    // Some network file systems cannot sync a folder; the rename has happened all the same.
    sync: () => handle.sync().catch(() => undefined),
    close: () => handle.close(),
  };
}

/** A regular file as it was when it was opened. */
export interface OwnFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly stats: BigIntStats;
}

/** The file, or why it is none to be rewritten, in a few words. */
export type OwnFileRead =
  | { readonly ok: true; readonly file: OwnFile }
  | { readonly ok: false; readonly reason: string };

/** Reads a file that has one name, may be written and is no larger than `mostBytes`; never through a link. */
export async function readOwnFile(path: string, mostBytes: number): Promise<OwnFileRead> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
  const handle = await open(path, flags).catch((error: unknown) => String(Reflect.get(Object(error), 'code')));
  if (typeof handle === 'string') return { ok: false, reason: OPEN_FAULTS[handle] ?? 'unreadable' };
  try {
    return await readHeld(handle, mostBytes);
  } finally {
    await handle.close();
  }
}

const OPEN_FAULTS: Readonly<Record<string, string>> = { ELOOP: 'symlink', ENOENT: 'vanished', ENOTDIR: 'vanished' };

async function readHeld(handle: FileHandle, mostBytes: number): Promise<OwnFileRead> {
  const stats = await handle.stat({ bigint: true });
  const refusal = refusalOf(stats, mostBytes);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const bytes = await handle.readFile();
  return { ok: true, file: { bytes, hash: fingerprintBytes(bytes), stats } };
}

function refusalOf(stats: BigIntStats, mostBytes: number): string | undefined {
  if (!stats.isFile()) return 'no regular file';
  if (stats.size > BigInt(mostBytes)) return 'too large for one answer';
  // A new file in its place would leave the other names with the old content.
  if (stats.nlink > 1n) return 'has several hard links';
  return (stats.mode & 0o200n) === 0n ? 'read-only' : undefined;
}

function unlessGone(error: unknown): undefined {
  const code = Reflect.get(Object(error), 'code');
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
  throw error;
}
