/** Remembers what the files of a tree were counted as, from scan to scan; a cache that fails only costs time. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkCounts, Skip } from '../counts.js';
import type { RowBlock } from '../pack-rows.js';
import { askOnce, threadEntry } from '../thread-pool.js';
import type { EncodedBlock } from './block.js';
import type { KnownBlocks } from './chunk-memory.js';
import { type ChunkMark, type ChunkRecord, decodeChunk, type EncodedChunk, encodeChunk } from './chunk-record.js';
import { type SettlingRule, settlingRule } from './identity.js';
import { type ListRecord, type RememberedListing, readListing, writeListing } from './list-record.js';
import { rulesVersion } from './rules-version.js';
import { readSegment, type Segment, segmentNames, writeSegment } from './segment.js';
import { trimCache } from './trim.js';

/** Which tree, and where it is remembered. */
export interface CountCacheOptions {
  /** An absolute folder that only this user can enter; it must be there. */
  readonly folder: string;
  /** The absolute real path of the scanned folder. */
  readonly root: string;
  /** Whether to read what is known; without it the cache only takes. Default true. */
  readonly recall?: boolean | undefined;
  /** What all trees together may take. */
  readonly maxBytes: number;
  /** Names the rules that files are counted by; what others counted is not known. Default: those that are installed. */
  readonly rules?: string;
  /** How long a file must have been left alone to be remembered. Default: by its file system. */
  readonly marginMs?: number;
}

/** What a chunk came to; remembered as a whole where it has a mark. */
export interface NotedChunk {
  readonly counts: ChunkCounts;
  readonly skips: readonly Skip[];
  readonly rows: RowBlock | undefined;
  readonly recalled: number;
  readonly fresh: EncodedBlock | undefined;
  readonly mark: ChunkMark | undefined;
}

/** What is known of a tree. */
export interface CountCache {
  /** Whether nothing is known of any file. */
  readonly isEmpty: boolean;
  /** The blocks that may hold these files, sorted by path: what a thread needs to count them. */
  near(files: readonly string[]): KnownBlocks;
  /** By which rule files are taken for settled. */
  readonly rule: SettlingRule;
  /** Takes note of a counted chunk: what is new in it, and how many of its files were known. */
  note(chunk: NotedChunk): void;
  /** Whether something is remembered of a chunk of this key; not whether it can be read back. */
  knowsChunk(key: string): boolean;
  /** What is remembered of a chunk of this key; of several, what was written last. */
  chunk(key: string): ChunkRecord | undefined;
  /** What is remembered of a listing by the name of its options. */
  listing(options: string): Promise<ListRecord | undefined>;
  /** Writes down a listing. Rejects as the file system does. */
  rememberListing(options: string, listing: RememberedListing): Promise<void>;
  /** How many files were known so far. */
  recalled(): number;
  /** Writes down what is new. Rejects as the file system does; what is lost then is only time. */
  save(): Promise<void>;
}

/** A scan opens every segment of its tree; more than this become one. */
const MOST_SEGMENTS = 24;
const LISTING = '.list';
const MOST_LISTINGS = 4;

/** Opens the cache of a tree; undefined where the tree's file system tells too little of its files, or nothing. */
export async function openCountCache(options: CountCacheOptions): Promise<CountCache | undefined> {
  const { folder, root, recall = true, maxBytes, rules = rulesVersion(new URL('.', threadEntry())) } = options;
  const rule = await ruleFor(options);
  if (rule === undefined) return undefined;
  const place = treeFolder(folder, root);
  const segments = recall ? await readSegments(place, rules) : [];
  const chunks = new Map(segments.flatMap(({ memory, chunks: known }) => known.map((at) => [at.key, { memory, at }])));
  const fresh: EncodedBlock[] = [];
  const freshChunks: EncodedChunk[] = [];
  let recalled = 0;
  return {
    isEmpty: segments.length === 0,
    rule,
    near: (files) => ({ rule, blocks: segments.flatMap((segment) => blocksNear(segment, files)) }),
    note({ fresh: block, recalled: known, mark, ...chunk }) {
      if (block) fresh.push(block);
      recalled += known;
      if (mark && chunks.get(mark.key)?.at.identities !== mark.identities)
        freshChunks.push(encodeChunk({ ...mark, ...chunk }));
    },
    recalled: () => recalled,
    knowsChunk: (key) => chunks.has(key),
    chunk(key) {
      const found = chunks.get(key);
      return found && decodeChunk(found.at, new Uint8Array(found.memory, found.at.offset, found.at.length));
    },
    listing: (name) => readListing(listingFile(place, name), rules),
    async rememberListing(name, listing) {
      await writeListing(listingFile(place, name), rules, listing);
      await dropListings(place);
    },
    async save() {
      if (fresh.length + freshChunks.length > 0) {
        await writeSegment(place, rules, { blocks: fresh.splice(0), chunks: freshChunks.splice(0) });
        if ((await segmentNames(place)).length > MOST_SEGMENTS) await mergeSegments({ place, root, rules });
        await trimCache(folder, maxBytes);
      }
      // The order in which trees are given up goes by this.
      const now = new Date();
      await utimes(place, now, now).catch(() => undefined);
    },
  };
}

/** The folder of a tree within that of the cache. */
export function treeFolder(folder: string, root: string): string {
  return join(folder, createHash('sha256').update(root).digest('hex').slice(0, 40));
}

async function ruleFor({ root, marginMs }: CountCacheOptions): Promise<SettlingRule | undefined> {
  try {
    const rule = await settlingRule(root, (await stat(root)).dev);
    return rule && marginMs !== undefined ? { ...rule, marginMs } : rule;
  } catch {
    return undefined;
  }
}

interface Place {
  readonly place: string;
  readonly root: string;
  readonly rules: string;
}

/** Another scan may be at the same: both write a whole segment before they remove what it was made of. */
async function mergeSegments({ place, root, rules }: Place): Promise<void> {
  const names = await segmentNames(place);
  const segments = await readSegments(place, rules, names);
  const blocks = segments.flatMap((segment) => segment.blocks.map((block) => ({ ...block, memory: segment.memory })));
  const response = await askOnce({ kind: 'merge', work: { root, blocks } }, undefined);
  if (response.kind !== 'merged') throw new TypeError(`A merge was answered with '${response.kind}'.`);
  await writeSegment(place, rules, { blocks: response.blocks, chunks: await listedChunks({ place, rules }, segments) });
  await Promise.all(names.map((name) => rm(join(place, name), { force: true })));
}

/** The chunks that a remembered listing still names. */
async function listedChunks(
  { place, rules }: Omit<Place, 'root'>,
  segments: readonly Segment[],
): Promise<EncodedChunk[]> {
  const listings = await Promise.all((await listingNames(place)).map((name) => readListing(join(place, name), rules)));
  const listed = new Set(listings.flatMap((listing) => listing?.chunks.map(({ key }) => key) ?? []));
  const latest = new Map<string, EncodedChunk>();
  for (const { memory, chunks } of segments)
    for (const { offset, ...place } of chunks)
      if (listed.has(place.key))
        latest.set(place.key, { ...place, bytes: new Uint8Array(memory, offset, place.length) });
  return [...latest.values()];
}

function listingFile(place: string, options: string): string {
  return join(place, `${createHash('sha256').update(options).digest('hex').slice(0, 40)}${LISTING}`);
}

async function listingNames(place: string): Promise<string[]> {
  return (await readdir(place).catch(() => [])).filter((name) => name.endsWith(LISTING));
}

/** A tree may be scanned with any options; of those listings that were written longest ago are given up. */
async function dropListings(place: string): Promise<void> {
  const names = await listingNames(place);
  if (names.length <= MOST_LISTINGS) return;
  const written = await Promise.all(
    names.map(async (name) => ({ name, ms: (await stat(join(place, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = written.sort((a, b) => b.ms - a.ms).slice(MOST_LISTINGS);
  await Promise.all(old.map(({ name }) => rm(join(place, name), { force: true })));
}

async function readSegments(place: string, rules: string, names?: readonly string[]): Promise<Segment[]> {
  const known = names ?? (await segmentNames(place));
  const read = await Promise.all(known.map((name) => readSegment(join(place, name), rules)));
  return read.filter((segment) => segment !== undefined);
}

function blocksNear({ memory, blocks }: Segment, files: readonly string[]): KnownBlocks['blocks'] {
  const [first, last] = [files.at(0), files.at(-1)];
  if (first === undefined || last === undefined) return [];
  return blocks
    .filter((block) => block.first <= last && block.last >= first)
    .map(({ offset, length, checksum }) => ({ memory, offset, length, checksum }));
}
