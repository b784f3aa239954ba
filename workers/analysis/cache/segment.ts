/** Files of the cache: written whole under a new name, never changed, and ignored where they are not what was written. */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlockPlace, EncodedBlock } from './block.js';
import type { ChunkPlace, EncodedChunk } from './chunk-record.js';

/** A segment in memory that threads may share. */
export interface Segment {
  readonly memory: SharedArrayBuffer;
  /** In the order of their files. */
  readonly blocks: readonly BlockPlace[];
  readonly chunks: readonly ChunkPlace[];
}

/** What goes into a segment. */
export interface SegmentParts {
  readonly blocks: readonly EncodedBlock[];
  readonly chunks: readonly EncodedChunk[];
}

interface Header {
  /** See `rulesVersion`. */
  readonly rules: string;
  readonly blocks: readonly BlockPlace[];
  readonly chunks: readonly ChunkPlace[];
}

/** Magic, a version of this form, the checksum and the length of the header that follows it. */
const FIRST_LINE = /^longhaul-counts 2 ([\w-]{43}) (\d{1,9})\n/;
const FIRST_LINE_BYTES = 80;
const ENDING = '.counts';
/** Only this user may read what the names and sizes of files tell. */
const PRIVATE_FILE = 0o600;

/** The segments of a tree's folder, oldest first; none where there is no folder. */
export async function segmentNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(ENDING)).sort();
}

/** Writes a segment under a name of its own, at once or not at all. Rejects as the file system does. */
export async function writeSegment(folder: string, rules: string, parts: SegmentParts): Promise<string> {
  const sorted = [...parts.blocks].sort((a, b) => (a.first < b.first ? -1 : 1));
  let offset = 0;
  const placed = <Part extends { readonly bytes: Uint8Array }>({ bytes, ...part }: Part) => {
    offset += bytes.length;
    return { ...part, offset: offset - bytes.length };
  };
  const blocks = sorted.map(placed).map(({ files: _, ...place }): BlockPlace => place);
  const chunks = parts.chunks.map(placed);
  const header = Buffer.from(JSON.stringify({ rules, blocks, chunks } satisfies Header));
  const first = Buffer.from(`longhaul-counts 2 ${checksumOf(header)} ${header.length}\n`);
  const name = `${String(Date.now()).padStart(15, '0')}-${randomUUID()}${ENDING}`;
  const bytes = [...sorted, ...parts.chunks].map((part) => part.bytes);
  await writePrivate(join(folder, name), [first, header, ...bytes]);
  return name;
}

/** Writes a file that only this user may read, at once or not at all, in place of an earlier one. Rejects as the file system does. */
export async function writePrivate(path: string, parts: readonly Uint8Array[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(unfinished, 'wx', PRIVATE_FILE);
    try {
      // Not synced: after a power cut the checksums tell what did not reach the disk.
      await file.writev(parts);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Reads a segment; undefined where it is gone, torn, foreign or of other rules. */
export async function readSegment(path: string, rules: string): Promise<Segment | undefined> {
  const memory = await readShared(path).catch(() => undefined);
  if (memory === undefined) return undefined;
  const bytes = Buffer.from(memory);
  const [first = '', checksum, length] = FIRST_LINE.exec(bytes.toString('latin1', 0, FIRST_LINE_BYTES)) ?? [];
  const header = bytes.subarray(first.length, first.length + Number(length));
  if (checksum === undefined || checksumOf(header) !== checksum) return undefined;
  const parsed: Header = JSON.parse(header.toString());
  if (parsed.rules !== rules) return undefined;
  const start = first.length + header.length;
  const whole = <Place extends { offset: number; length: number }>(places: readonly Place[]) =>
    places
      .filter(({ offset, length }) => start + offset + length <= bytes.length)
      .map((place) => ({ ...place, offset: start + place.offset }));
  return { memory, blocks: whole(parsed.blocks), chunks: whole(parsed.chunks) };
}

interface Kept {
  /** What the file system said of the file that was read. */
  readonly identity: string;
  readonly memory: WeakRef<SharedArrayBuffer>;
}

/** What was read of late: a rescan soon after another finds it in memory, as long as nobody needs the room. */
const kept = new Map<string, Kept>();
const MOST_KEPT = 256;

/** The bytes of a file, in memory that threads may share, and that nobody may change. Rejects as the file system does. */
export async function readShared(path: string): Promise<SharedArrayBuffer> {
  const file = await open(path);
  try {
    const { size, mtimeMs, ctimeMs, ino, dev } = await file.stat();
    const identity = [size, mtimeMs, ctimeMs, ino, dev].join(' ');
    const known = kept.get(path);
    const found = known?.identity === identity ? known.memory.deref() : undefined;
    const memory = found ?? (await readInto(new SharedArrayBuffer(size), file));
    kept.delete(path);
    kept.set(path, { identity, memory: new WeakRef(memory) });
    const [oldest = ''] = kept.keys();
    if (kept.size > MOST_KEPT) kept.delete(oldest);
    return memory;
  } finally {
    await file.close();
  }
}

async function readInto(memory: SharedArrayBuffer, file: FileHandle): Promise<SharedArrayBuffer> {
  const bytes = new Uint8Array(memory);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return memory;
}

/** A checksum of the head of a cache file. */
export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
