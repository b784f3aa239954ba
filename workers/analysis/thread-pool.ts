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

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

/** Creates a pool of at most `threads` threads; `signal` ends it at once. */
export function createThreadPool({ threads, signal }: { threads: number; signal: AbortSignal }): ThreadPool {
  const crew = new Set<Thread>();
  const queue: Job[] = [];
  let ended: Promise<void> | undefined;

  signal.addEventListener('abort', onAbort, { once: true });

  function onAbort(): void {
    for (const thread of crew) thread.job?.reject(signal.reason);
    for (const job of queue.splice(0)) job.reject(signal.reason);
    void end();
  }

  function ask(request: ThreadRequest): Promise<ThreadResponse> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      queue.push({ request, resolve, reject });
      assign();
    });
  }

  function assign(): void {
    while (queue.length > 0 && ended === undefined) {
      const thread =
        [...crew].find(({ job }) => job === undefined) ?? (crew.size < threads ? startThread(crew, assign) : undefined);
      if (thread === undefined) return;
      thread.job = queue.shift();
      thread.worker.postMessage(thread.job?.request);
    }
  }

  function end(): Promise<void> {
    signal.removeEventListener('abort', onAbort);
    ended ??= endAll([...crew].map(({ worker }) => worker));
    return ended;
  }

  return { ask, end };
}

/** Starts a thread that leaves the crew when it dies; `freed` hears whenever there may be room for a request. */
function startThread(crew: Set<Thread>, freed: () => void): Thread {
  const thread: Thread = { worker: new Worker(threadEntry(), { name: 'analysis' }), job: undefined };
  crew.add(thread);
  thread.worker.on('message', (response: ThreadResponse) => {
    thread.job?.resolve(response);
    thread.job = undefined;
    freed();
  });
  const drop = (error: unknown) => {
    crew.delete(thread);
    thread.job?.reject(error);
    freed();
  };
  thread.worker.on('error', drop);
  thread.worker.on('exit', () => drop(new Error('An analysis thread ended before it answered.')));
  return thread;
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
