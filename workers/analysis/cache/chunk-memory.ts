/** What a counting thread knows of the files of one chunk from earlier scans, and what it finds out for later ones. */
import { lstatSync, type Stats } from 'node:fs';
import { encodePath } from '../paths.js';
import {
  type BlockPlace,
  decodeBlock,
  type EncodedBlock,
  encodeBlock,
  type KnownFile,
  type Remembered,
} from './block.js';
import { digestOf, type FileIdentity, identityOf, isSettled, type SettlingRule, sameIdentity } from './identity.js';

/** Blocks that may hold the files of a chunk; memory is shared, so that passing them to a thread costs nothing. */
export interface KnownBlocks {
  readonly rule: SettlingRule;
  readonly blocks: readonly (Pick<BlockPlace, 'offset' | 'length' | 'checksum'> & {
    readonly memory: SharedArrayBuffer;
  })[];
}

/** A file about to be counted. */
export interface FileInQuestion {
  readonly path: string;
  readonly handwritten: boolean;
  /** As it is now; undefined where it cannot be looked at. */
  readonly stats: Stats | undefined;
}

/** The memory of one chunk. */
export interface ChunkMemory {
  /** Whether anything is remembered of a file there, whatever has become of it. */
  knows(path: string): boolean;
  /** What the file came to when it last had the identity it has now. */
  recall(file: FileInQuestion): Remembered | undefined;
  /** Takes note of what a file came to that was opened with these stats. */
  learn(file: FileInQuestion, outcome: Remembered): void;
  /** Takes note of a file that was skipped for what its stats say. */
  pin(stats: Stats | undefined): void;
  /** The identities of so many files, a digest of them all; undefined if one is not to be trusted: it may change unseen. */
  identities(files: number): string | undefined;
  /** How many files were recalled. */
  recalled(): number;
  /** What was learnt. */
  fresh(): EncodedBlock | undefined;
}

/** Opens the memory of one chunk before any of its files is looked at. */
export function createChunkMemory({ rule, blocks }: KnownBlocks): ChunkMemory {
  const readMs = Date.now();
  const known = new Map<string, KnownFile[]>();
  const learnt: KnownFile[] = [];
  const pinned: FileIdentity[] = [];
  let recalled = 0;
  for (const { memory, offset, length, checksum } of blocks) {
    for (const file of decodeBlock(new Uint8Array(memory, offset, length), checksum)) {
      const others = known.get(file.path);
      if (others) others.push(file);
      else known.set(file.path, [file]);
    }
  }

  function recall({ path, handwritten, stats }: FileInQuestion): Remembered | undefined {
    const candidates = known.get(path);
    if (candidates === undefined || !stats?.isFile()) return undefined;
    const identity = identityOf(stats);
    const same = (file: KnownFile) => file.handwritten === handwritten && sameIdentity(file.identity, identity);
    const outcome = candidates.find(same)?.outcome;
    if (outcome === undefined) return undefined;
    recalled += 1;
    pinned.push(identity);
    return outcome;
  }

  function learn({ path, handwritten, stats }: FileInQuestion, outcome: Remembered): void {
    if (stats === undefined) return;
    const identity = identityOf(stats);
    if (!isSettled(identity, readMs, rule)) return;
    learnt.push({ path, handwritten, identity, outcome });
    pinned.push(identity);
  }

  function pin(stats: Stats | undefined): void {
    const identity = stats && identityOf(stats);
    if (identity && isSettled(identity, readMs, rule)) pinned.push(identity);
  }

  return {
    knows: (path) => known.has(path),
    recall,
    learn,
    pin,
    identities: (files) => (pinned.length === files ? digestOf(pinned) : undefined),
    recalled: () => recalled,
    fresh: () => (learnt.length > 0 ? encodeBlock(learnt) : undefined),
  };
}

/** What the file system says of a file, without following it; undefined where it says nothing. */
export function lookAt(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(encodePath(`${root}/${path}`), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
