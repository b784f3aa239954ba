/** Runs one metric in a worker thread of its own, which an abort ends at once, whatever it is doing. */
import { Worker } from 'node:worker_threads';

/** What a metric may keep in memory: more than any input within the size limits needs. */
const MOST_HEAP_MB = 256;

/** What a metric's thread says: how far it is, any number of times, then its result. */
export type MetricMessage<Result> =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'result'; readonly result: Result };

/** What to run. */
export interface MetricRun {
  /** The compiled module to run, as `metricEntry` names it; it finds `request` as its `workerData`. */
  readonly entry: URL;
  /** Plain data. */
  readonly request: unknown;
  readonly signal: AbortSignal;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Resolves with the thread's result; rejects with the signal's reason on abort, and when the thread fails. */
export async function runMetric<Result>({ entry, request, signal, onProgress }: MetricRun): Promise<Result> {
  signal.throwIfAborted();
  const worker = new Worker(entry, {
    name: 'metric',
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  let onAbort = () => {};
  try {
    return await new Promise<Result>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      worker.on('message', (message: MetricMessage<Result>) => {
        if (message.kind === 'progress') onProgress?.(message.done, message.total);
        else resolve(message.result);
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('A metric thread ended before it answered.')));
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    void worker.terminate();
  }
}

/** Whether a thread died of its memory limit rather than of a fault. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Names `thread.js` beside the module at `here`. Threads run compiled code: under a test runner that serves sources, the one in `dist`. */
export function metricEntry(here: string): URL {
  const entry = new URL('./thread.js', here);
  if (!here.endsWith('.ts')) return entry;
  return new URL(entry.href.replace(/\/workers\/analysis\/(?=[^/]+\/thread\.js$)/, '/dist/workers/analysis/'));
}
