/** Writes rewritten files in journaled steps: a worker that dies on the way leaves each file old or new, and the rest to the next. */
import { basename, dirname, join } from 'node:path';
import { fingerprint, type JobId } from '../../src/core/ids.js';
import type { JsonValue } from '../../src/core/json.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { backUp } from './back-up.js';
import type { ChosenFile } from './choose-files.js';
import { fingerprintBytes } from './fingerprint-bytes.js';
import { openFolder, readOwnFile } from './open-folder.js';
import { restoreValues } from './placeholders.js';
import { type Replaced, replaceFile } from './replace-file.js';
import { bytesIn, readText } from './text-form.js';

/** A file and the text that is to take its place, in plain form, with placeholders. */
export interface FitFile {
  readonly file: ChosenFile;
  readonly answer: string;
}

/** What became of a file. */
export type WriteEnd = Replaced | { readonly kind: 'refused'; readonly reason: string };

/** What came of all. */
export interface Written {
  /** By path. */
  readonly ends: ReadonlyMap<string, WriteEnd>;
  /** Files that were kept as they were before any was written. */
  readonly backedUp: number;
}

/** What writing needs of a job. */
export type WriteContext = Pick<HandlerContext, 'jobId' | 'step' | 'signal'>;

type Prepared = { readonly kind: 'ready'; readonly newHash: string } | Exclude<WriteEnd, { kind: 'written' }>;

/** Prepares all, keeps all as they were, then replaces one after another; `onEnd` hears of each. */
export async function writeFiles(
  root: string,
  files: readonly FitFile[],
  context: WriteContext,
  onEnd: (done: number) => void = () => undefined,
): Promise<Written> {
  const { jobId, step, signal } = context;
  const ends = new Map<string, WriteEnd>();
  const ready: (FitFile & { readonly newHash: string })[] = [];
  for (const fit of files) {
    const { path } = fit.file;
    const prepared = (await step(`prepare ${path}`, () => journaled(prepare(root, fit)))) as unknown as Prepared;
    if (prepared.kind === 'ready') ready.push({ ...fit, newHash: prepared.newHash });
    else ends.set(path, prepared);
  }
  if (ready.length === 0) return { ends, backedUp: 0 };
  const kept = ready.map(({ file, newHash }) => ({ path: file.path, oldHash: file.hash, newHash }));
  const lost = await step('back up', () => backUp(root, jobId, kept));
  for (const [index, fit] of ready.entries()) {
    const { path } = fit.file;
    signal.throwIfAborted();
    const end = lost.includes(path)
      ? { kind: 'changed_meanwhile' as const, reason: 'It was changed since it was read, so it was left alone.' }
      : await step(`write ${path}`, () => journaled(replace(root, jobId, fit)));
    ends.set(path, end as unknown as WriteEnd);
    onEnd(index + 1);
  }
  return { ends, backedUp: ready.length - lost.length };
}

/** What a step returns is plain JSON by its type, which the journal's own cannot say. */
function journaled(value: Promise<object>): Promise<JsonValue> {
  return value as unknown as Promise<JsonValue>;
}

/** Finds what is to be written while the file is still as it was read; its secrets are never journaled. */
async function prepare(root: string, fit: FitFile): Promise<Prepared> {
  const { path, hash } = fit.file;
  const folder = await openFolder(dirname(join(root, path)));
  if (!folder) return { kind: 'changed_meanwhile', reason: 'Its folder is not where it was.' };
  const read = await readOwnFile(folder.at(basename(path)), Number.MAX_SAFE_INTEGER).finally(() => folder.close());
  if (!read.ok) return { kind: 'changed_meanwhile', reason: `It is not the file that was read: ${read.reason}.` };
  if (read.file.hash !== hash)
    return { kind: 'changed_meanwhile', reason: 'It was changed since it was read, so it was left alone.' };
  const bytes = rewritten(fit, read.file.bytes);
  if (bytes) return { kind: 'ready', newHash: fingerprintBytes(bytes) };
  return { kind: 'refused', reason: 'Its secrets could not be put back with certainty.' };
}

function rewritten({ file, answer }: FitFile, old: Buffer): Buffer | undefined {
  const text = readText(old);
  const restored = text.ok ? restoreValues(text.body, file.body, answer) : undefined;
  return restored === undefined ? undefined : bytesIn(file.form, restored);
}

function replace(root: string, jobId: JobId, fit: FitFile & { readonly newHash: string }): Promise<Replaced> {
  const { path, hash } = fit.file;
  return replaceFile({
    root,
    path,
    oldHash: hash,
    newHash: fit.newHash,
    tempName: `.longhaul-${fingerprint(`${jobId} ${path}`)}.tmp`,
    rewrite: (old) => {
      const bytes = rewritten(fit, old);
      if (!bytes || fingerprintBytes(bytes) !== fit.newHash)
        throw new Error(`${path} came out otherwise than prepared`);
      return bytes;
    },
  });
}
