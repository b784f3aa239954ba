/** Tells whether a file is still the one that was counted, by what the file system says of it. */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** Size, times of change in milliseconds, inode and device: as numbers, in this order. */
export type FileIdentity = readonly [size: number, mtimeMs: number, ctimeMs: number, ino: number, dev: number];

/** How many numbers an identity has. */
export const IDENTITY_NUMBERS = 5;

/** When a file has been left alone for long enough that its next change is sure to show. */
export interface SettlingRule {
  /** The device of the tree; whatever is mounted within it is judged by the careful margin. */
  readonly device: number;
  readonly marginMs: number;
}

/**
 * A change within the same tick of a file system's clock leaves the time of change as it was (git calls such entries racily
 * clean), so a file changed less than this before it was read is not remembered. The coarsest of the steady ones below
 * counts whole seconds.
 */
const STEADY_MARGIN_MS = 2_000;
/** A server's clock may be another than ours, and what we are told of its files a while old. */
const CAREFUL_MARGIN_MS = 120_000;

/** ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, ZFS, F2FS, bcachefs, SquashFS, EROFS: the change time is the kernel's own. */
const STEADY = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x73717368,
  0xe0f5e1e2,
]);
/** FAT and exFAT keep no change time that a program could not set back. */
const FORGETFUL = new Set([0x4d44, 0x2011bab0]);

/** The rule for the tree at `root` on `device`; undefined where nothing can be told from stats. Rejects as `statfs` does. */
export async function settlingRule(root: string, device: number): Promise<SettlingRule | undefined> {
  // A magic number above 2^31 comes out negative where the system's field is signed.
  const type = (await statfs(root)).type >>> 0;
  if (FORGETFUL.has(type)) return undefined;
  return { device, marginMs: STEADY.has(type) ? STEADY_MARGIN_MS : CAREFUL_MARGIN_MS };
}

/** The identity of a file. */
export function identityOf({ size, mtimeMs, ctimeMs, ino, dev }: Stats): FileIdentity {
  return [size, mtimeMs, ctimeMs, ino, dev];
}

/** A digest of identities, in their order. */
export function digestOf(identities: readonly FileIdentity[]): string {
  const numbers = new Float64Array(identities.length * IDENTITY_NUMBERS);
  identities.forEach((identity, index) => {
    for (let part = 0; part < IDENTITY_NUMBERS; part += 1)
      numbers[index * IDENTITY_NUMBERS + part] = identity[part] ?? 0;
  });
  return digestOfNumbers([numbers]);
}

/** The identities of so many files as `look` tells of, one after another; undefined where it knows nothing of one. */
export function numbersOfStats(files: number, look: (index: number) => Stats | undefined): Float64Array | undefined {
  const numbers = new Float64Array(files * IDENTITY_NUMBERS);
  for (let index = 0; index < files; index += 1) {
    const stats = look(index);
    if (stats === undefined) return undefined;
    const at = index * IDENTITY_NUMBERS;
    numbers[at] = stats.size;
    numbers[at + 1] = stats.mtimeMs;
    numbers[at + 2] = stats.ctimeMs;
    numbers[at + 3] = stats.ino;
    numbers[at + 4] = stats.dev;
  }
  return numbers;
}

/** A digest of identities one after another, in as many pieces as they come in. */
export function digestOfNumbers(pieces: readonly Float64Array[]): string {
  const hash = createHash('sha256');
  for (const numbers of pieces) hash.update(numbers);
  return hash.digest('base64url');
}

/** Whether two identities are one. */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.every((part, index) => part === b[index]);
}

/**
 * Whether a file found with this identity before it was read, at or after `readMs`, can be told from any later state by its
 * identity alone. Only the change time counts: unlike the time of modification no program can set it.
 */
export function isSettled(identity: FileIdentity, readMs: number, rule: SettlingRule): boolean {
  return identity[2] < readMs - (identity[4] === rule.device ? rule.marginMs : CAREFUL_MARGIN_MS);
}
