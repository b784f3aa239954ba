/** What a whole chunk of files came to, remembered as one: as long as no file of it is changed, none need be looked into. */
import { createHash } from 'node:crypto';
import type { ChunkCounts, Skip } from '../counts.js';
import type { LanguageDeclarations } from '../declared-languages.js';
import type { RowBlock } from '../pack-rows.js';

/** By what a chunk is known again. */
export interface ChunkMark {
  /** A digest of its paths and of what else decides how they are counted. */
  readonly key: string;
  /** A digest of what the file system says of its files. */
  readonly identities: string;
}

/** A remembered chunk. */
export interface ChunkRecord extends ChunkMark {
  readonly counts: ChunkCounts;
  readonly skips: readonly Skip[];
  readonly rows: RowBlock | undefined;
}

/** Where a record lies in a segment. */
export interface ChunkPlace extends ChunkMark {
  readonly offset: number;
  readonly length: number;
  readonly checksum: string;
}

/** A record on its way into a segment. */
export interface EncodedChunk extends Omit<ChunkPlace, 'offset'> {
  readonly bytes: Uint8Array;
}

interface Head {
  readonly counts: ChunkCounts;
  readonly skips: readonly Skip[];
  readonly rows: number;
}

/** What names a chunk: its files, and what the tree declares of them. */
export interface NamedChunk {
  readonly files: readonly string[];
  readonly handwritten: readonly string[];
  readonly languages: LanguageDeclarations;
}

/** Names a chunk; the limit of size is part of it, since what is larger is skipped. */
export function keyOfChunk({ files, handwritten, languages }: NamedChunk, maxFileBytes: number): string {
  const declared = files.map((path) => languages.of(path)?.name ?? '');
  const text = JSON.stringify([maxFileBytes, files, handwritten, declared.some((name) => name !== '') ? declared : []]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Encodes a record: the length of its JSON, the JSON, the packed rows. */
export function encodeChunk({ key, identities, counts, skips, rows }: ChunkRecord): EncodedChunk {
  const head = Buffer.from(JSON.stringify({ counts, skips, rows: rows?.count ?? 0 } satisfies Head));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(head.length);
  const bytes = Buffer.concat([size, head, rows?.deflated ?? new Uint8Array(0)]);
  return { key, identities, bytes, length: bytes.length, checksum: checksumOf(bytes) };
}

/** The record in these bytes; undefined where they are not those that were written. */
export function decodeChunk(place: Omit<ChunkPlace, 'offset'>, bytes: Uint8Array): ChunkRecord | undefined {
  if (checksumOf(bytes) !== place.checksum) return undefined;
  const own = Buffer.from(bytes);
  const end = 4 + own.readUInt32LE(0);
  // What bears the checksum was written by `encodeChunk`.
  const { counts, skips, rows } = JSON.parse(own.toString('utf8', 4, end)) as Head;
  const block = rows > 0 ? { count: rows, deflated: own.subarray(end) } : undefined;
  return { key: place.key, identities: place.identities, counts, skips, rows: block };
}

function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
