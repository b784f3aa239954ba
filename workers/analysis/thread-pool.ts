/** A handful of worker threads, started when first needed and ended with their pool. */
import { Worker } from 'node:worker_threads';
import type { ThreadRequest, ThreadResponse } from './thread-messages.js';

/** How long the end of a pool waits for threads that are stuck in a system call. */
const END_WAIT_MS = 1000;

/** Threads to ask things of. */
export interface ThreadPool {
  /** Asks the next free thread; waits while none is. Rejects when the thread dies, and with the signal's reason on abort. */
  ask(request: ThreadRequest): Promise<ThreadResponse>;
  /** Ends all threads. Idempotent; open requests never settle after it. */
  end(): Promise<void>;
}

interface Job {
  readonly request: ThreadRequest;
  readonly resolve: (response: ThreadResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/** Creates a pool of at most `threads` threads; `signal` ends it at once. */
export function createThreadPool({ threads, signal }: { threads: number; signal: AbortSignal }): ThreadPool {
  const workers = new Set<Worker>();
  const idle: Worker[] = [];
  const queue: Job[] = [];
  const active = new Map<Worker, Job>();
  let ended: Promise<void> | undefined;

  signal.addEventListener('abort', onAbort, { once: true });

  function onAbort(): void {
    for (const job of [...active.values(), ...queue.splice(0)]) job.reject(signal.reason);
    void end();
  }

  function ask(request: ThreadRequest): Promise<ThreadResponse> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      queue.push({ request, resolve, reject });
      assign();
    });
  }

  function assign(): void {
    while (queue.length > 0 && ended === undefined) {
      const worker = idle.pop() ?? (workers.size < threads ? start() : undefined);
      const job = worker && queue.shift();
      if (worker === undefined || job === undefined) return;
      active.set(worker, job);
      worker.postMessage(job.request);
    }
  }

  function start(): Worker {
    const worker = new Worker(threadEntry(), { name: 'analysis', stdin: false });
    workers.add(worker);
    worker.on('message', (response: ThreadResponse) => {
      active.get(worker)?.resolve(response);
      active.delete(worker);
      idle.push(worker);
      assign();
    });
    worker.on('error', (error) => drop(worker, error));
    worker.on('exit', () => drop(worker, new Error('An analysis thread ended before it answered.')));
    return worker;
  }

  function drop(worker: Worker, error: Error): void {
    active.get(worker)?.reject(error);
    active.delete(worker);
    workers.delete(worker);
    const place = idle.indexOf(worker);
    if (place >= 0) idle.splice(place, 1);
    if (ended === undefined) assign();
  }

  function end(): Promise<void> {
    signal.removeEventListener('abort', onAbort);
    ended ??= endAll([...workers]);
    return ended;
  }

  return { ask, end };
}

async function endAll(workers: readonly Worker[]): Promise<void> {
  const { promise, resolve } = deferred();
  const timer = setTimeout(resolve, END_WAIT_MS);
  await Promise.race([Promise.all(workers.map((worker) => worker.terminate())), promise]);
  clearTimeout(timer);
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Threads run compiled code: under a test runner that serves TypeScript sources the entry is the one in `dist`. */
function threadEntry(): URL {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new URL('./thread.js', here);
  return new URL('../../dist/workers/analysis/thread.js', here);
}
