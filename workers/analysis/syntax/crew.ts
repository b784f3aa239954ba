/** The threads that parse: started when first needed, replaced when they hang, crash or have grown too large. */
import type { SyntaxAnswer, SyntaxRequest } from './messages.js';
import { type SyntaxJob, type SyntaxThread, startSyntaxThread } from './syntax-thread.js';

/** Threads to ask things of. */
export interface Crew {
  /**
   * Asks the next free thread; waits while none is. Rejects with `ThreadLost` when the thread hung or died, and with the
   * signal's reason on abort, which ends the thread that is at work on it.
   */
  ask(request: SyntaxRequest, signal: AbortSignal): Promise<SyntaxAnswer>;
  /** Ends all threads and rejects what is still open. Idempotent. */
  end(): Promise<void>;
}

/** How a crew is made. */
export interface CrewOptions {
  /** A crew that lives on between those it serves lets its threads go after so long without a request. Default: never. */
  readonly idleMs?: number;
}

/** Creates a crew of at most `threads` threads. */
export function createCrew(threads: number, { idleMs }: CrewOptions = {}): Crew {
  const roster = createRoster(threads, assign);
  let idle: NodeJS.Timeout | undefined;
  const queue: SyntaxJob[] = [];
  let ended = false;

  async function ask(request: SyntaxRequest, signal: AbortSignal): Promise<SyntaxAnswer> {
    signal.throwIfAborted();
    if (ended) throw closed();
    const { job, answered } = openJob(request);
    const onAbort = () => drop(job, signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    queue.push(job);
    assign();
    try {
      return await answered;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  function assign(): void {
    clearTimeout(idle);
    while (queue.length > 0 && !ended) {
      const thread = roster.idle();
      const job = thread && queue.shift();
      if (job === undefined) return;
      thread?.run(job);
    }
    if (idleMs === undefined || ended || roster.isBusy()) return;
    idle = setTimeout(() => void roster.end(closed()), idleMs).unref();
  }

  function drop(job: SyntaxJob, reason: unknown): void {
    const at = queue.indexOf(job);
    if (at >= 0) queue.splice(at, 1);
    void roster.busyWith(job)?.end(reason);
    job.reject(reason);
  }

  async function end(): Promise<void> {
    ended = true;
    clearTimeout(idle);
    for (const job of queue.splice(0)) job.reject(closed());
    await roster.end(closed());
  }

  return { ask, end };
}

/** The threads that are there; `freed` hears whenever there may be room for a job. */
function createRoster(most: number, freed: () => void) {
  const members = new Set<SyntaxThread>();
  const onGone = (thread: SyntaxThread) => {
    members.delete(thread);
    freed();
  };

  function idle(): SyntaxThread | undefined {
    const free = [...members].find((thread) => thread.job() === undefined);
    if (free || members.size >= most) return free;
    const thread = startSyntaxThread({ onFree: freed, onGone });
    members.add(thread);
    return thread;
  }
  const busyWith = (job: SyntaxJob) => [...members].find((thread) => thread.job() === job);
  const end = (reason: unknown) => Promise.all([...members].map((thread) => thread.end(reason)));

  const isBusy = () => [...members].some((thread) => thread.job() !== undefined);

  return { idle, busyWith, isBusy, end };
}

function closed(): Error {
  return new Error('The syntax service is closed; create another one.');
}

function openJob(request: SyntaxRequest): { job: SyntaxJob; answered: Promise<SyntaxAnswer> } {
  let job: SyntaxJob = { request, resolve: () => {}, reject: () => {} };
  const answered = new Promise<SyntaxAnswer>((resolve, reject) => {
    job = { request, resolve, reject };
  });
  return { job, answered };
}
