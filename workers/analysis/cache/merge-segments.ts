/** Makes the many blocks of a tree few again, leaving out what no file has any more; runs in a worker thread. */
import { decodeBlock, type EncodedBlock, encodeBlock, type KnownFile } from './block.js';
import { type KnownBlocks, lookAt } from './chunk-memory.js';
import { identityOf, sameIdentity } from './identity.js';

/** What to merge. */
export interface MergeWork {
  /** The absolute real path of the tree. */
  readonly root: string;
  readonly blocks: KnownBlocks['blocks'];
}

/** Files of one block: about what a thread counts at a time. */
const BLOCK_FILES = 256;

/** Merges blocks; an entry stays if it is what its file is now. */
export function mergeBlocks({ root, blocks }: MergeWork): EncodedBlock[] {
  const current = new Map<string, KnownFile>();
  for (const { memory, offset, length, checksum } of blocks) {
    for (const file of decodeBlock(new Uint8Array(memory, offset, length), checksum))
      if (isCurrent(root, file)) current.set(`${file.handwritten} ${file.path}`, file);
  }
  const files = [...current.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const starts = Array.from({ length: Math.ceil(files.length / BLOCK_FILES) }, (_, index) => index * BLOCK_FILES);
  return starts.map((start) => encodeBlock(files.slice(start, start + BLOCK_FILES)));
}

function isCurrent(root: string, { path, identity }: KnownFile): boolean {
  const stats = lookAt(root, path);
  return stats !== undefined && sameIdentity(identity, identityOf(stats));
}
