/** The stored form of what is remembered of some hundred files: names as JSON, numbers as they lie in memory, a checksum. */
import { createHash } from 'node:crypto';
import type { LineCounts } from '../lexer/scan-lines.js';
import { type FileIdentity, IDENTITY_NUMBERS } from './identity.js';

/** What counting a file came to, as far as its content decides: how it was counted, or why not. */
export type Remembered =
  | { readonly language: string; readonly counts: LineCounts }
  | { readonly skip: 'binary' | 'generated' };

/** A remembered file. */
export interface KnownFile {
  /** Relative to the root; the path's last part takes part in naming the language. */
  readonly path: string;
  /** Whether it was taken at its word though marked as generated. */
  readonly handwritten: boolean;
  readonly identity: FileIdentity;
  readonly outcome: Remembered;
}

/** Where a block lies in a segment, and between which paths its files are. */
export interface BlockPlace {
  readonly first: string;
  readonly last: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: string;
}

/** A block on its way into a segment. */
export interface EncodedBlock extends Omit<BlockPlace, 'offset'> {
  readonly bytes: Uint8Array;
  /** How many files it holds. */
  readonly files: number;
}

interface Names {
  readonly paths: string[];
  /** Distinct languages and reasons to skip, and which of them each file has. */
  readonly kinds: { language?: string; skip?: 'binary' | 'generated' }[];
  readonly kind: number[];
  readonly handwritten: number[];
  readonly embedded: [index: number, parts: LineCounts['embedded']][];
}

const ROW_NUMBERS = IDENTITY_NUMBERS + 4;
const ROW_BYTES = ROW_NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Encodes files, sorted by path; there must be one. */
export function encodeBlock(files: readonly KnownFile[]): EncodedBlock {
  const numbers = new Float64Array(files.length * ROW_NUMBERS);
  const names: Names = { paths: [], kinds: [], kind: [], handwritten: [], embedded: [] };
  const kinds = { language: new Map<string, number>(), skip: new Map<string, number>() };
  files.forEach(({ path, handwritten, identity, outcome }, index) => {
    let at = index * ROW_NUMBERS;
    for (const part of identity) numbers[at++] = part;
    names.paths.push(path);
    if (handwritten) names.handwritten.push(index);
    if ('skip' in outcome) {
      names.kind.push(kindOf(kinds.skip, outcome.skip, () => names.kinds.push({ skip: outcome.skip })));
      return;
    }
    const { language, counts } = outcome;
    numbers[at++] = counts.lines;
    numbers[at++] = counts.code;
    numbers[at++] = counts.comments;
    numbers[at++] = counts.blanks;
    names.kind.push(kindOf(kinds.language, language, () => names.kinds.push({ language })));
    if (counts.embedded.length > 0) names.embedded.push([index, counts.embedded]);
  });
  const bytes = joined(numbers, Buffer.from(JSON.stringify(names)));
  const [first = '', last = first] = [files.at(0)?.path, files.at(-1)?.path];
  return { first, last, bytes, length: bytes.length, files: files.length, checksum: checksumOf(bytes, files.length) };
}

/** In memory of its own, which a thread can hand over. */
function joined(numbers: Float64Array, names: Buffer): Uint8Array {
  const bytes = new Uint8Array(numbers.byteLength + names.length);
  bytes.set(new Uint8Array(numbers.buffer));
  bytes.set(names, numbers.byteLength);
  return bytes;
}

/** The files of a block; none where its bytes are not those that were written. */
export function decodeBlock(bytes: Uint8Array, checksum: string): KnownFile[] {
  const count = Number(checksum.slice(checksum.lastIndexOf('-') + 1));
  if (!Number.isInteger(count) || checksumOf(bytes, count) !== checksum) return [];
  const numbers = new Float64Array(count * ROW_NUMBERS);
  new Uint8Array(numbers.buffer).set(bytes.subarray(0, count * ROW_BYTES));
  // What bears the checksum was written by `encodeBlock`.
  const names = JSON.parse(Buffer.from(bytes.subarray(count * ROW_BYTES)).toString()) as Names;
  const handwritten = new Set(names.handwritten);
  const embedded = new Map(names.embedded);
  return names.paths.map((path, index) => {
    const row = numbers.subarray(index * ROW_NUMBERS, (index + 1) * ROW_NUMBERS);
    const [size = 0, mtimeMs = 0, ctimeMs = 0, ino = 0, dev = 0, lines = 0, code = 0, comments = 0, blanks = 0] = row;
    const { language = '', skip } = names.kinds[names.kind[index] ?? 0] ?? {};
    const counts = { lines, code, comments, blanks, embedded: embedded.get(index) ?? [] };
    return {
      path,
      handwritten: handwritten.has(index),
      identity: [size, mtimeMs, ctimeMs, ino, dev],
      outcome: skip ? { skip } : { language, counts },
    };
  });
}

/** The number of a kind; `push` adds one that was not seen before, and tells how many there are then. */
function kindOf(seen: Map<string, number>, name: string, push: () => number): number {
  const known = seen.get(name);
  if (known !== undefined) return known;
  const index = push() - 1;
  seen.set(name, index);
  return index;
}

/** Ends in the number of files, by which a block is taken apart. */
function checksumOf(bytes: Uint8Array, files: number): string {
  return `${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}-${files}`;
}
