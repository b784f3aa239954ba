/** Estimates how much of a tree is known before it is counted, from a look at some of its files. */
import type { ChunkFiles } from '../count-chunk.js';
import { askOnce, type ThreadPool } from '../thread-pool.js';
import type { CountCache } from './count-cache.js';
import type { SurveyRun } from './survey.js';

/** Neighbours lie in the same blocks, so that few blocks need be opened. */
const RUNS = 16;
const RUN_FILES = 64;

/**
 * About how many of the files will have to be read. All where nothing is known; a guess that costs some milliseconds, good
 * enough to choose how to count, which never changes what is counted.
 */
export async function estimateUnknown(
  { root, files, handwritten }: ChunkFiles,
  cache: CountCache | undefined,
  { signal, pool }: { readonly signal: AbortSignal; readonly pool?: ThreadPool | undefined },
): Promise<number> {
  if (cache === undefined || cache.isEmpty) return files.length;
  const exempt = new Set(handwritten);
  const runs = Array.from({ length: RUNS }, (_, index): SurveyRun => {
    const start = Math.floor((index * files.length) / RUNS);
    const run = files.slice(start, start + RUN_FILES);
    return { chunk: { root, files: run, handwritten: run.filter((path) => exempt.has(path)) }, known: cache.near(run) };
  });
  const response = await askOnce({ kind: 'survey', runs }, signal, pool);
  if (response.kind !== 'surveyed') throw new TypeError(`A survey was answered with '${response.kind}'.`);
  const looked = runs.reduce((sum, { chunk }) => sum + chunk.files.length, 0);
  return looked === 0 ? 0 : Math.round((files.length * (looked - response.known)) / looked);
}
