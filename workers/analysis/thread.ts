/** The entry of a worker thread: counts chunks, walks trees and looks for clones as asked, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { mergeBlocks } from './cache/merge-segments.js';
import { survey } from './cache/survey.js';
import { createChunkCounter } from './count-chunk.js';
import { createCloneWorker } from './duplication/thread-work.js';
import { findSpecialFiles } from './special-files.js';
import type { ThreadRequest, ThreadResponse } from './thread-messages.js';
import { walkTree } from './walk.js';

const workOnClones = createCloneWorker();
const counters = new Map<number, ReturnType<typeof createChunkCounter>>();

function answer(request: ThreadRequest): ThreadResponse {
  if (request.kind === 'walk') return { kind: 'walked', listing: walkTree(request) };
  if (request.kind === 'look') return { kind: 'looked', skips: findSpecialFiles(request.root, request.folders) };
  if (request.kind === 'clones') return { kind: 'clones', answer: workOnClones(request.work) };
  if (request.kind === 'survey') return { kind: 'surveyed', known: survey(request.runs) };
  if (request.kind === 'merge') return { kind: 'merged', blocks: mergeBlocks(request.work) };
  const counter = counters.get(request.maxFileBytes) ?? createChunkCounter(request.maxFileBytes);
  counters.set(request.maxFileBytes, counter);
  const { rows, skips, ...outcome } = counter.count(request.chunk, request.known);
  return {
    kind: 'counted',
    ...outcome,
    rows: request.wantsRows ? rows : [],
    skips: request.wantsSkips ? skips : [],
  };
}

parentPort?.on('message', (request: ThreadRequest) => {
  parentPort?.postMessage(answer(request));
});
