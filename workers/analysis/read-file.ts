/** Reads regular files into one reusable buffer; never blocks on anything else and never throws for a single file. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { SkipReason } from './counts.js';

/** Non-blocking and without following links, should the path have become something else since it was looked at. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
const FIRST_CAPACITY = 1 << 20;
/** How much is read of a longer file before it is asked whether more is wanted. */
const HEAD_BYTES = 1 << 16;

/**
 * What became of a path: the first `length` bytes of the buffer, valid until the next read, with the stats of the opened
 * file from before it was read; or a reason to skip it.
 */
export type ReadOutcome =
  | { readonly buffer: Buffer; readonly length: number; readonly stats: Stats }
  | { readonly skip: SkipReason };

/** What is known of a path before it is opened. */
export interface Seen {
  /** What `lstat` says of it. */
  readonly found?: Stats | undefined;
  /** Whether a listing has just seen a regular file there: it is opened without another look, and judged by what was opened. */
  readonly listed?: boolean | undefined;
}

/** Reads one file after another into the same memory. */
export interface FileReader {
  /** The buffer has room for one byte more than the file, which the scanner needs. */
  read(path: string | Buffer, seen?: Seen): ReadOutcome;
}

/** How to read. */
export interface ReaderOptions {
  /** Room for so many bytes; what was given before is void. Default: memory like any other. */
  readonly room?: (size: number) => Buffer;
  /** Whether nothing is wanted beyond this head of a long file; the outcome is as long as the head then. Default: never. */
  readonly suffices?: (head: Buffer) => boolean;
}

/** Creates a reader that passes over files larger than `maxFileBytes`. */
export function createFileReader(maxFileBytes: number, options: ReaderOptions = {}): FileReader {
  const readRegular = createRegularReader(maxFileBytes, options);

  function read(path: string | Buffer, { found, listed }: Seen = {}): ReadOutcome {
    try {
      return (listed ? readListed(path) : undefined) ?? readFound(path, found);
    } catch (error) {
      return { skip: reasonOf(error) };
    }
  }

  /** Undefined if it cannot be opened: a look tells why. */
  function readListed(path: string | Buffer): ReadOutcome | undefined {
    try {
      return readRegular(path);
    } catch {
      return undefined;
    }
  }

  function readFound(path: string | Buffer, seen: Stats | undefined): ReadOutcome {
    const found = seen ?? lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { skip: 'vanished' };
    const refused = refusal(found, maxFileBytes);
    return refused ? { skip: refused } : readRegular(path);
  }

  return { read };
}

/** Opens and reads what is a file by then; throws as the file system does. */
function createRegularReader(maxFileBytes: number, options: ReaderOptions): (path: string | Buffer) => ReadOutcome {
  const { room = Buffer.allocUnsafeSlow, suffices = () => false } = options;
  let buffer = room(Math.min(FIRST_CAPACITY, maxFileBytes + 1));

  function grownTo(needed: number): number {
    return Math.min(Math.max(needed, 2 * buffer.length), Math.max(needed, maxFileBytes + 1));
  }

  /** All of it, or the head of a long one that says that the rest is of no use. */
  function readWanted(file: number, size: number): number {
    if (size <= HEAD_BYTES) return fill(file, 0, size);
    const head = fill(file, 0, HEAD_BYTES);
    return head < HEAD_BYTES || suffices(buffer.subarray(0, head)) ? head : fill(file, head, size);
  }

  /** A file that shrinks while it is read yields what is left; one that grows yields its size at the start. */
  function fill(file: number, from: number, size: number): number {
    let length = from;
    while (length < size) {
      const got = readSync(file, buffer, length, size - length, null);
      if (got === 0) break;
      length += got;
    }
    return length;
  }

  return (path) => {
    const file = openSync(path, FLAGS);
    try {
      const stats = fstatSync(file);
      const refused = refusal(stats, maxFileBytes);
      if (refused) return { skip: refused };
      if (stats.size + 1 > buffer.length) buffer = room(grownTo(stats.size + 1));
      return { buffer, length: readWanted(file, stats.size), stats };
    } finally {
      closeSync(file);
    }
  };
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
