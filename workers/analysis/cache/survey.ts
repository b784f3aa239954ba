/** Tells how many of some files are as they are remembered; runs in a worker thread. */
import type { ChunkFiles } from '../count-chunk.js';
import { createChunkMemory, type KnownBlocks, lookAt } from './chunk-memory.js';

/** Neighbouring files, and what is remembered of them. */
export interface SurveyRun {
  readonly chunk: ChunkFiles;
  readonly known: KnownBlocks;
}

/** How many of the files need not be read. */
export function survey(runs: readonly SurveyRun[]): number {
  return runs.reduce((sum, run) => sum + knownIn(run), 0);
}

function knownIn({ chunk: { root, files, handwritten }, known }: SurveyRun): number {
  const memory = createChunkMemory(known);
  for (const path of files) memory.recall({ path, handwritten: handwritten.includes(path), stats: lookAt(root, path) });
  return memory.recalled();
}
