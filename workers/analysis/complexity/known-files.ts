/** The stored form of what some hundred files were measured as; JSON, deflated, with a checksum. */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BlockPlace, EncodedBlock } from '../cache/block.js';
import type { FileIdentity } from '../cache/identity.js';
import type { FileComplexity } from './measure-file.js';

/** What measuring a file came to, as far as its content decides. */
export type KnownOutcome = FileComplexity | { readonly skip: 'binary' | 'generated' };

/** A measured file that is remembered. */
export interface KnownMeasure {
  readonly path: string;
  /** Whether it was taken at its word though marked as generated. */
  readonly handwritten: boolean;
  readonly identity: FileIdentity;
  readonly outcome: KnownOutcome;
}

/** Fast and small enough: names of functions make up most of it. */
const LEVEL = 3;

/** Encodes files, sorted by path; there must be one. */
export function encodeMeasures(files: readonly KnownMeasure[]): EncodedBlock {
  const bytes = deflateRawSync(JSON.stringify(files), { level: LEVEL });
  const [first = '', last = first] = [files.at(0)?.path, files.at(-1)?.path];
  return { first, last, bytes, length: bytes.length, files: files.length, checksum: checksumOf(bytes) };
}

/** The files of a block; none where its bytes are not those that were written. */
export function decodeMeasures(bytes: Uint8Array, { checksum }: Pick<BlockPlace, 'checksum'>): readonly KnownMeasure[] {
  if (checksumOf(bytes) !== checksum) return [];
  // What bears the checksum was written by `encodeMeasures`.
  return JSON.parse(inflateRawSync(bytes).toString()) as KnownMeasure[];
}

function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
