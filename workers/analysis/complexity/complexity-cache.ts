/**
 * Remembers what the files of a tree were measured as, by the rules of decision 0014: a file that kept its identity is not
 * measured again. A cache that fails only costs time.
 */
import { createHash } from 'node:crypto';
import { rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlockPlace, EncodedBlock } from '../cache/block.js';
import { lookAt } from '../cache/chunk-memory.js';
import { treeFolder } from '../cache/count-cache.js';
import { identityOf, isSettled, type SettlingRule, sameIdentity, settlingRule } from '../cache/identity.js';
import { rulesVersion } from '../cache/rules-version.js';
import { readSegment, type Segment, segmentNames, writeSegment } from '../cache/segment.js';
import { trimCache } from '../cache/trim.js';
import { compareText } from '../counts.js';
import { parserFiles } from '../syntax/grammars.js';
import { threadEntry } from '../thread-pool.js';
import { decodeMeasures, encodeMeasures, type KnownMeasure, type KnownOutcome } from './known-files.js';

/** Which tree, and where it is remembered. */
export interface ComplexityCacheOptions {
  /** An absolute folder that only this user can enter, as that of counts; may be the same. */
  readonly folder: string;
  /** The absolute real path of the tree. */
  readonly root: string;
  /** What all trees in the folder may take. */
  readonly maxBytes: number;
  /** Names the rules that files are measured by. Default: those that are installed. */
  readonly rules?: string;
  /** How long a file must have been left alone to be remembered. Default: by its file system. */
  readonly marginMs?: number;
}

/** A file that was measured, as it was when it was opened; `readMs` is a time before that. */
export interface MeasuredNow extends KnownMeasure {
  readonly readMs: number;
}

/** What is known of a tree. */
export interface ComplexityCache {
  /** What these files, sorted by path, are known as; undefined for one that has to be measured or is larger than `maxFileBytes`. */
  recall(files: readonly FileInTree[], maxFileBytes: number): (KnownOutcome | undefined)[];
  /** How many of the files are known, by a look at some of them. */
  estimateKnown(files: readonly FileInTree[]): number;
  /** Takes note of a file that was measured. */
  learn(file: MeasuredNow): void;
  /** Writes down what is new. Rejects as the file system does; what is lost then is only time. */
  save(): Promise<void>;
}

/** A listed file. */
export interface FileInTree {
  readonly path: string;
  readonly handwritten: boolean;
}

/** What the rules of complexity lie in, beside those that count. */
const RULE_FOLDERS = ['complexity', 'syntax'];
/** Files of one block, and of one look. */
const BLOCK_FILES = 256;
const LOOKS = 16;
const LOOK_FILES = 16;
const BLOCKS_A_RANGE = 4;
/** A measurement opens every segment of its tree; more than this become one. */
const MOST_SEGMENTS = 24;

/** Opens the cache of a tree; undefined where its file system tells too little of its files, or nothing. */
export async function openComplexityCache(options: ComplexityCacheOptions): Promise<ComplexityCache | undefined> {
  const { root, folder, maxBytes } = options;
  const rule = await ruleFor(options);
  if (rule === undefined) return undefined;
  const rules = options.rules ?? complexityRules();
  // Within the same folder, so that one bound holds for all that is remembered.
  const place = treeFolder(folder, `complexity of ${root}`);
  const segments = await readSegments(place, rules);
  const fresh: EncodedBlock[] = [];
  const learnt: KnownMeasure[] = [];

  function recall(files: readonly FileInTree[], maxFileBytes: number): (KnownOutcome | undefined)[] {
    const known = knownNear(segments, files);
    return files.map((file) => outcomeOf({ root, known, maxFileBytes }, file));
  }

  return {
    recall,
    estimateKnown: (files) => (segments.length === 0 ? 0 : estimate(files, recall)),
    learn({ readMs, ...file }) {
      if (isSettled(file.identity, readMs, rule)) learnt.push(file);
      // Encoded, a tree takes a tenth of the memory.
      if (learnt.length >= BLOCK_FILES) fresh.push(...blocksOf(learnt.splice(0)));
    },
    async save() {
      fresh.push(...blocksOf(learnt.splice(0)));
      if (fresh.length > 0) {
        await writeSegment(place, rules, { blocks: fresh.splice(0), chunks: [] });
        await mergeSegments({ place, root, rules });
        await trimCache(folder, maxBytes);
      }
      // The order in which trees are given up goes by this.
      const now = new Date();
      await utimes(place, now, now).catch(() => undefined);
    },
  };
}

/** Names the installed rules: what counts lines, what measures, and the parser with its grammars. */
export function complexityRules(): string {
  const analysis = new URL('.', threadEntry());
  const own = RULE_FOLDERS.map((folder) => rulesVersion(analysis, [folder]));
  const all = [rulesVersion(analysis), ...own, ...parserFiles()];
  return createHash('sha256').update(all.join('\n')).digest('base64url');
}

async function ruleFor({ root, marginMs }: ComplexityCacheOptions): Promise<SettlingRule | undefined> {
  try {
    const rule = await settlingRule(root, (await stat(root)).dev);
    return rule && marginMs !== undefined ? { ...rule, marginMs } : rule;
  } catch {
    return undefined;
  }
}

async function readSegments(place: string, rules: string): Promise<Segment[]> {
  const read = await Promise.all((await segmentNames(place)).map((name) => readSegment(join(place, name), rules)));
  return read.filter((segment) => segment !== undefined);
}

interface Recalling {
  readonly root: string;
  readonly known: ReadonlyMap<string, readonly KnownMeasure[]>;
  readonly maxFileBytes: number;
}

function knownNear(segments: readonly Segment[], files: readonly FileInTree[]): Recalling['known'] {
  const [first, last] = [files.at(0)?.path, files.at(-1)?.path];
  const wanted = new Set(files.map(({ path }) => path));
  const known = new Map<string, KnownMeasure[]>();
  if (first === undefined || last === undefined) return known;
  for (const file of decodeRange(segments, (block) => block.first <= last && block.last >= first)) {
    if (!wanted.has(file.path)) continue;
    const others = known.get(file.path);
    if (others) others.push(file);
    else known.set(file.path, [file]);
  }
  return known;
}

function* decodeRange(segments: readonly Segment[], isNear: (block: BlockPlace) => boolean): Generator<KnownMeasure> {
  for (const { memory, blocks } of segments) {
    for (const block of blocks)
      if (isNear(block)) yield* decodeMeasures(new Uint8Array(memory, block.offset, block.length), block);
  }
}

function outcomeOf({ root, known, maxFileBytes }: Recalling, file: FileInTree): KnownOutcome | undefined {
  const candidates = known.get(file.path);
  if (candidates === undefined) return undefined;
  const stats = lookAt(root, file.path);
  if (!stats?.isFile() || stats.size > maxFileBytes) return undefined;
  const identity = identityOf(stats);
  const same = (one: KnownMeasure) => one.handwritten === file.handwritten && sameIdentity(one.identity, identity);
  return candidates.find(same)?.outcome;
}

function estimate(files: readonly FileInTree[], recall: ComplexityCache['recall']): number {
  const runs = Array.from({ length: LOOKS }, (_, index) => {
    const start = Math.floor((index * files.length) / LOOKS);
    return files.slice(start, start + LOOK_FILES);
  });
  const looked = runs.flatMap((run) => recall(run, Number.POSITIVE_INFINITY));
  const known = looked.filter((outcome) => outcome !== undefined).length;
  return looked.length === 0 ? 0 : Math.round((files.length * known) / looked.length);
}

function blocksOf(files: readonly KnownMeasure[]): EncodedBlock[] {
  const sorted = [...files].sort((a, b) => compareText(a.path, b.path));
  const starts = Array.from({ length: Math.ceil(sorted.length / BLOCK_FILES) }, (_, index) => index * BLOCK_FILES);
  return starts.map((start) => encodeMeasures(sorted.slice(start, start + BLOCK_FILES)));
}

/**
 * Makes many segments one, without what is no longer so: range by range of paths, so that little is in memory at a time.
 * Another measurement may be at the same: both write a whole segment before they remove what it was made of.
 */
async function mergeSegments({ place, root, rules }: { place: string; root: string; rules: string }): Promise<void> {
  const names = await segmentNames(place);
  if (names.length <= MOST_SEGMENTS) return;
  const segments = await readSegments(place, rules);
  const firsts = segments.flatMap(({ blocks }) => blocks.map(({ first }) => first)).sort(compareText);
  const bounds = ['', ...new Set(firsts.filter((_, index) => index % BLOCKS_A_RANGE === 0))];
  const merged: EncodedBlock[] = [];
  for (const [index, from] of bounds.entries()) {
    await new Promise((resolve) => setImmediate(resolve));
    merged.push(...blocksOf(currentIn(segments, { root, from, to: bounds[index + 1] })));
  }
  await writeSegment(place, rules, { blocks: merged, chunks: [] });
  await Promise.all(names.map((name) => rm(join(place, name), { force: true })));
}

interface PathRange {
  readonly root: string;
  readonly from: string;
  /** The first path behind it; undefined for the last range. */
  readonly to: string | undefined;
}

function currentIn(segments: readonly Segment[], { root, from, to }: PathRange): KnownMeasure[] {
  const isBefore = (path: string) => to === undefined || path < to;
  const current = new Map<string, KnownMeasure>();
  for (const file of decodeRange(segments, (block) => block.last >= from && isBefore(block.first))) {
    if (file.path < from || !isBefore(file.path)) continue;
    const stats = lookAt(root, file.path);
    if (stats && sameIdentity(file.identity, identityOf(stats))) current.set(`${file.handwritten} ${file.path}`, file);
  }
  return [...current.values()];
}
