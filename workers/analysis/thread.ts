/** The entry of a worker thread: counts chunks, walks trees and looks for clones as asked, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { lookAgain, settledIdentities } from './cache/look-again.js';
import { createChunkCounter } from './count-chunk.js';
import type { createCloneWorker } from './duplication/thread-work.js';
import { packRows } from './pack-rows.js';
import type { ThreadRequest, ThreadResponse } from './thread-messages.js';

type Answers = { readonly [Kind in ThreadRequest['kind']]: (request: RequestOf<Kind>) => Promise<ThreadResponse> };
type RequestOf<Kind> = Extract<ThreadRequest, { kind: Kind }>;

let workOnClones: ReturnType<typeof createCloneWorker> | undefined;
const counters = new Map<number, ReturnType<typeof createChunkCounter>>();

/** Modules that a count does not need are loaded when they are asked for: a thread must be there at once. */
const ANSWERS: Answers = {
  async count(request) {
    const counter = counters.get(request.maxFileBytes) ?? createChunkCounter(request.maxFileBytes);
    counters.set(request.maxFileBytes, counter);
    const { rows, skips, ...outcome } = counter.count(request.chunk, request.known);
    return {
      kind: 'counted',
      ...outcome,
      rows: request.wantsRows ? packRows(rows) : undefined,
      skips: request.wantsSkips ? skips : [],
    };
  },
  async walk(request) {
    const { walkTree } = await import('./walk.js');
    return { kind: 'walked', ...walkTree(request) };
  },
  async look({ root, folders, prove }) {
    const { findSpecialFiles } = await import('./special-files.js');
    // Before the folders are read: what changes in one meanwhile shows then.
    const identities = prove && settledIdentities(root, [...folders, ...prove.files], prove.settling);
    return { kind: 'looked', skips: findSpecialFiles(root, folders), identities };
  },
  async again({ root, groups }) {
    return { kind: 'again', digests: lookAgain(root, groups) };
  },
  async clones({ work }) {
    workOnClones ??= (await import('./duplication/thread-work.js')).createCloneWorker();
    return { kind: 'clones', answer: workOnClones(work) };
  },
  async survey({ runs }) {
    const { survey } = await import('./cache/survey.js');
    return { kind: 'surveyed', known: survey(runs) };
  },
  async merge({ work }) {
    const { mergeBlocks } = await import('./cache/merge-segments.js');
    return { kind: 'merged', blocks: mergeBlocks(work) };
  },
};

parentPort?.on('message', async (request: ThreadRequest) => {
  const answer = ANSWERS[request.kind] as (request: ThreadRequest) => Promise<ThreadResponse>;
  const response = await answer(request);
  parentPort?.postMessage(response, memoryOf(response));
});

/** What is handed over instead of copied. */
function memoryOf(response: ThreadResponse): ArrayBuffer[] {
  if (response.kind !== 'counted') return [];
  const parts = [response.rows?.deflated, response.fresh?.bytes].filter((part) => part !== undefined);
  return parts.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}
