/** Reads regular files into one reusable buffer; never blocks on anything else and never throws for a single file. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { SkipReason } from './counts.js';
import { createTextMemory } from './lexer/text-memory.js';

/** Non-blocking and without following links, should the path have become something else since it was looked at. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
const FIRST_CAPACITY = 1 << 20;

/**
 * What became of a path: the first `length` bytes of the buffer, valid until the next read, with the stats of the opened
 * file from before it was read; or a reason to skip it.
 */
export type ReadOutcome =
  | { readonly buffer: Buffer; readonly length: number; readonly stats: Stats }
  | { readonly skip: SkipReason };

/** Reads one file after another into the same memory. */
export interface FileReader {
  /**
   * The buffer has room for one byte more than the file, which the scanner needs. `found` is what `lstat` says of the path,
   * where that is known already.
   */
  read(path: string | Buffer, found?: Stats): ReadOutcome;
}

/** Creates a reader that passes over files larger than `maxFileBytes`. */
export function createFileReader(maxFileBytes: number): FileReader {
  const memory = createTextMemory();
  let buffer = memory.room(Math.min(FIRST_CAPACITY, maxFileBytes + 1));

  function read(path: string | Buffer, seen?: Stats): ReadOutcome {
    try {
      const found = seen ?? lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return { skip: 'vanished' };
      const refused = refusal(found, maxFileBytes);
      return refused ? { skip: refused } : readRegular(path);
    } catch (error) {
      return { skip: reasonOf(error) };
    }
  }

  function readRegular(path: string | Buffer): ReadOutcome {
    const file = openSync(path, FLAGS);
    try {
      const stats = fstatSync(file);
      const refused = refusal(stats, maxFileBytes);
      if (refused) return { skip: refused };
      if (stats.size + 1 > buffer.length) buffer = memory.room(grownTo(stats.size + 1));
      return { buffer, length: fill(file, stats.size), stats };
    } finally {
      closeSync(file);
    }
  }

  function grownTo(needed: number): number {
    return Math.min(Math.max(needed, 2 * buffer.length), Math.max(needed, maxFileBytes + 1));
  }

  /** A file that shrinks while it is read yields what is left; one that grows yields its size at the start. */
  function fill(file: number, size: number): number {
    let length = 0;
    while (length < size) {
      const got = readSync(file, buffer, length, size - length, null);
      if (got === 0) break;
      length += got;
    }
    return length;
  }

  return { read };
}

function refusal(stats: Stats, maxFileBytes: number): SkipReason | undefined {
  if (stats.isFile()) return stats.size > maxFileBytes ? 'too_large' : undefined;
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFIFO()) return 'fifo';
  if (stats.isSocket()) return 'socket';
  // A folder where a file was listed has taken its place since.
  return stats.isDirectory() ? 'vanished' : 'device';
}

function reasonOf(error: unknown): SkipReason {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'vanished';
  if (code === 'ELOOP') return 'symlink';
  if (code === 'ENXIO') return 'device';
  return 'unreadable';
}
