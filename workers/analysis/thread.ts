/** The entry of a worker thread: counts chunks, walks trees and looks for clones as asked, one request at a time. */
import { parentPort } from 'node:worker_threads';
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
  const counter = counters.get(request.maxFileBytes) ?? createChunkCounter(request.maxFileBytes);
  counters.set(request.maxFileBytes, counter);
  const { counts, rows, skips } = counter.count(request.chunk);
  return {
    kind: 'counted',
    counts,
    rows: request.wantsRows ? rows : [],
    skips: request.wantsSkips ? skips : [],
  };
}

parentPort?.on('message', (request: ThreadRequest) => {
  parentPort?.postMessage(answer(request));
});
