/** What a listing came to, remembered with all that decided it, so that the next scan can tell that it would come to the same. */
import { createHash } from 'node:crypto';
import type { Skip } from '../counts.js';
import type { ListSummary } from '../listing.js';
import { checksumOf, readShared, writePrivate } from './segment.js';

/** What a listing was decided by, besides rules and options. */
export interface ListingProof {
  /** A digest of the words with which git listed the tree, or `NO_WORK_TREE`. */
  readonly git: string;
  /** The folders that were looked into, and the files with rules, relative to the root; the root itself is empty. */
  readonly looked: readonly string[];
  /** A digest of what the file system said of `looked`. */
  readonly identities: string;
}

/** What is remembered of a listing. */
export interface RememberedListing {
  readonly proof: ListingProof;
  readonly chunks: readonly ListedChunk[];
  readonly summary: ListSummary;
  readonly skips: readonly Skip[];
  /** The numbers of the chunks whose names are to be looked at before anybody sees them. */
  readonly guarded: readonly number[];
}

/** The files that a thread counts at a time. */
export interface ListedChunk {
  /** As `keyOfChunk` names it. */
  readonly key: string;
  readonly files: readonly string[];
  readonly handwritten: readonly string[];
}

/** Some paths in shared memory: text, joined by NUL bytes. */
export interface SharedPaths {
  readonly memory: SharedArrayBuffer;
  readonly offset: number;
  readonly length: number;
}

/** A listing as it was read back; its paths stay in shared memory until somebody needs them. */
export interface ListRecord extends Omit<RememberedListing, 'proof' | 'chunks'> {
  readonly git: string;
  readonly looked: SharedPaths;
  readonly identities: string;
  readonly chunks: readonly (Omit<ListedChunk, 'files'> & { readonly paths: SharedPaths; readonly count: number })[];
}

interface Header extends Omit<RememberedListing, 'proof' | 'chunks'> {
  readonly rules: string;
  readonly git: string;
  readonly identities: string;
  /** Bytes of `looked`, with which the text begins. */
  readonly looked: number;
  readonly text: string;
  readonly chunks: readonly { key: string; length: number; count: number; handwritten: readonly string[] }[];
}

/** Magic, the checksum and the length of the header. */
const FIRST_LINE = /^longhaul-listing 1 ([\w-]{43}) (\d{1,9})\n/;
const FIRST_LINE_BYTES = 80;
/** A byte that is not UTF-8 travels as half a surrogate pair, which text on disk cannot hold. */
const ESCAPED = /[\udc80-\udcff]/u;

/** Writes a listing. Passes over one with names that are not UTF-8. Rejects as the file system does. */
export async function writeListing(path: string, rules: string, listing: RememberedListing): Promise<void> {
  const { proof, chunks, ...rest } = listing;
  const texts = [proof.looked, ...chunks.map(({ files }) => files)].map((paths) => paths.join('\0'));
  if (texts.some((text) => ESCAPED.test(text))) return;
  const [looked = Buffer.alloc(0), ...bodies] = texts.map((text) => Buffer.from(text));
  const places = chunks.map(({ key, files, handwritten }, index) => {
    return { key, length: bodies[index]?.length ?? 0, count: files.length, handwritten };
  });
  const all = [looked, ...bodies];
  const header = Buffer.from(
    JSON.stringify({
      ...rest,
      rules,
      git: proof.git,
      identities: proof.identities,
      looked: looked.length,
      text: digestOfText(all),
      chunks: places,
    } satisfies Header),
  );
  const first = Buffer.from(`longhaul-listing 1 ${checksumOf(header)} ${header.length}\n`);
  await writePrivate(path, [first, header, ...all]);
}

/** Reads a listing; undefined where there is none, or none that is whole and of these rules. */
export async function readListing(path: string, rules: string): Promise<ListRecord | undefined> {
  const memory = await readShared(path).catch(() => undefined);
  if (memory === undefined) return undefined;
  const bytes = Buffer.from(memory);
  const [first = '', checksum, length] = FIRST_LINE.exec(bytes.toString('latin1', 0, FIRST_LINE_BYTES)) ?? [];
  const start = first.length + Number(length);
  const header = bytes.subarray(first.length, start);
  if (checksum === undefined || checksumOf(header) !== checksum) return undefined;
  // What bears the checksum was written by `writeListing`.
  const parsed = JSON.parse(header.toString()) as Header;
  if (parsed.rules !== rules || digestOfText([bytes.subarray(start)]) !== parsed.text) return undefined;
  const { looked, chunks, rules: _, text: __, ...rest } = parsed;
  let offset = start + looked;
  const placed = chunks.map(({ length: taken, ...chunk }) => {
    offset += taken;
    return { ...chunk, paths: { memory, offset: offset - taken, length: taken } };
  });
  return { ...rest, looked: { memory, offset: start, length: looked }, chunks: placed };
}

/** The paths in shared memory; for those who need them, which is a thread as a rule. */
export function pathsIn({ memory, offset, length }: SharedPaths): string[] {
  return Buffer.from(new Uint8Array(memory, offset, length))
    .toString()
    .split('\0');
}

function digestOfText(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}
