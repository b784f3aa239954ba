/** A handful of worker threads, started when first needed and ended with their pool, or when nothing was asked for a while. */
import { Worker } from 'node:worker_threads';
import type { ThreadRequest, ThreadResponse } from './thread-messages.js';

/** How long the end of a pool waits for threads that are stuck in a system call. */
const END_WAIT_MS = 1000;
/**
 * What a thread makes and drops at once. By default a thread lets 48 MiB of it gather before it looks for what is still in use;
 * with so little it looks oftener, and holds a third of the memory for the same work in the same time.
 */
const YOUNG_MIB = 6;
/** What files and tables need lies in buffers: no thread comes near this. */
const OLD_MIB = 256;

/** Where a request stands in the line. */
export interface Turn {
  readonly of: string;
  readonly rank: number;
}

/** Threads to ask things of. */
export interface ThreadPool {
  /**
   * Asks the next free thread; waits while none is, before requests with a later turn of the same name, and else behind those that
   * came first. Rejects when the thread dies, and with the reason of the pool's signal or of `signal` on abort: the thread that
   * is at it is ended then, since nothing else stops it.
   */
  ask(request: ThreadRequest, signal?: AbortSignal, turn?: Turn): Promise<ThreadResponse>;
  /** Starts the threads that are not there yet: they load while something else is waited for. */
  warm(): void;
  /** Ends all threads. Idempotent; open requests never settle after it. */
  end(): Promise<void>;
}

/** How a pool is made. */
export interface ThreadPoolOptions {
  /** Threads at most. */
  readonly threads: number;
  /** Ends the pool at once. */
  readonly signal?: AbortSignal;
  /** A pool that lives on between the jobs it serves lets its threads go after so long without a request. Default: never. */
  readonly idleMs?: number;
}

interface Job {
  readonly request: ThreadRequest;
  readonly turn: Turn | undefined;
  readonly resolve: (response: ThreadResponse) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

/** Creates a pool. */
export function createThreadPool({ threads, signal, idleMs }: ThreadPoolOptions): ThreadPool {
  const crew = createCrew(threads, idleMs);
  let ended: Promise<void> | undefined;

  function onAbort(): void {
    crew.refuse(signal?.reason);
    void end();
  }

  function end(): Promise<void> {
    signal?.removeEventListener('abort', onAbort);
    ended ??= crew.end();
    return ended;
  }

  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    async ask(request, unwanted, turn) {
      signal?.throwIfAborted();
      unwanted?.throwIfAborted();
      let drop = () => {};
      const answered = new Promise<ThreadResponse>((resolve, reject) => {
        const job = { request, turn, resolve, reject };
        drop = () => crew.drop(job, unwanted?.reason);
        crew.take(job);
      });
      unwanted?.addEventListener('abort', drop, { once: true });
      return answered.finally(() => unwanted?.removeEventListener('abort', drop));
    },
    warm: () => crew.warm(),
    end,
  };
}

/** Asks a thread of `pool`, or without one a thread of its own, which ends then. Rejects with the signal's reason on abort. */
export async function askOnce(
  request: ThreadRequest,
  signal: AbortSignal | undefined,
  shared?: ThreadPool,
): Promise<ThreadResponse> {
  if (shared) return shared.ask(request, signal);
  const pool = createThreadPool({ threads: 1, ...(signal && { signal }) });
  try {
    return await pool.ask(request);
  } finally {
    await pool.end();
  }
}

/** The threads and what waits for them. */
function createCrew(threads: number, idleMs: number | undefined) {
  const crew = new Set<Thread>();
  const queue: Job[] = [];
  const idle = createIdleTimer(idleMs, () => endAll(crew));
  let over = false;

  function assign(): void {
    while (queue.length > 0 && !over) {
      const thread =
        [...crew].find(({ job }) => job === undefined) ?? (crew.size < threads ? startThread(crew, assign) : undefined);
      if (thread === undefined) return;
      thread.job = queue.shift();
      thread.worker.postMessage(thread.job?.request);
    }
    if (queue.length === 0 && ![...crew].some(({ job }) => job)) idle.begin();
  }

  return {
    take(job: Job): void {
      idle.over();
      queue.splice(placeOf(job, queue), 0, job);
      assign();
    },
    warm(): void {
      if (over) return;
      while (crew.size < threads) startThread(crew, assign);
      assign();
    },
    /** Forgets one job; the thread that is at it is ended. */
    drop(job: Job, reason: unknown): void {
      const waiting = queue.indexOf(job);
      if (waiting >= 0) queue.splice(waiting, 1);
      job.reject(reason);
      const thread = [...crew].find((other) => other.job === job);
      if (!thread) return;
      crew.delete(thread);
      void thread.worker.terminate();
      assign();
    },
    refuse(reason: unknown): void {
      for (const thread of crew) thread.job?.reject(reason);
      for (const job of queue.splice(0)) job.reject(reason);
    },
    end(): Promise<void> {
      over = true;
      idle.over();
      return endAll(crew);
    },
  };
}

/** Where in the line a job belongs. */
function placeOf({ turn }: Job, queue: readonly Job[]): number {
  const later = turn ? queue.findIndex((other) => other.turn?.of === turn.of && other.turn.rank > turn.rank) : -1;
  return later < 0 ? queue.length : later;
}

function createIdleTimer(idleMs: number | undefined, onIdle: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    begin() {
      clearTimeout(timer);
      if (idleMs !== undefined) timer = setTimeout(onIdle, idleMs).unref();
    },
    over: () => clearTimeout(timer),
  };
}

/** Starts a thread that leaves the crew when it dies; `freed` hears whenever there may be room for a request. */
function startThread(crew: Set<Thread>, freed: () => void): Thread {
  const thread: Thread = { worker: startWorker(), job: undefined };
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

function startWorker(): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MIB, maxOldGenerationSizeMb: OLD_MIB };
  return new Worker(threadEntry(), { name: 'analysis', resourceLimits });
}

/** Ends the threads and takes them out of the crew. */
async function endAll(crew: Set<Thread>): Promise<void> {
  const workers = [...crew].map(({ worker }) => worker);
  crew.clear();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WAIT_MS);
  });
  await Promise.race([Promise.all(workers.map((worker) => worker.terminate())), late]);
  clearTimeout(timer);
}

/** What threads run: compiled code, under a test runner that serves TypeScript sources that in `dist`. */
export function threadEntry(): URL {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new URL('./thread.js', here);
  return new URL('../../dist/workers/analysis/thread.js', here);
}
