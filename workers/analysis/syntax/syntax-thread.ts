/** One thread that parses, as seen by its owner: it is given a job at a time and ended when it hangs. */
import { Worker } from 'node:worker_threads';
import type { SyntaxAnswer, SyntaxRequest, SyntaxResponse } from './messages.js';

/** What a thread may take for a request, with its own start and the loading of a grammar: no parse within its steps takes as long on a machine that works. */
const HANG_MS = 120_000;
/** The most memory that a thread may use outside WebAssembly, where a limit of its own holds. */
const HEAP_MB = 256;
/** Texts and nodes are short-lived; more room for them would only be taken, not needed. */
const YOUNG_MB = 8;

/** Why a request has no answer: its thread was ended for taking too long, or died of it. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
}

/** A request and who waits for its answer; settled once. */
export interface SyntaxJob {
  readonly request: SyntaxRequest;
  readonly resolve: (answer: SyntaxAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** A thread. */
export interface SyntaxThread {
  /** What it is at work on. */
  job(): SyntaxJob | undefined;
  /** Gives an idle thread a job. */
  run(job: SyntaxJob): void;
  /** Ends the thread at once; its job, if it has one, is rejected with `reason`. Idempotent. */
  end(reason: unknown): Promise<unknown>;
}

/** Hears how a thread fares. */
export interface ThreadEvents {
  /** The thread can take another job. */
  onFree(): void;
  /** The thread is gone: it hung, died, is worn out or was ended. */
  onGone(thread: SyntaxThread): void;
}

/** Starts a thread. An idle one does not keep the process alive. */
export function startSyntaxThread({ onFree, onGone }: ThreadEvents): SyntaxThread {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(threadEntry(), { name: 'syntax', resourceLimits });
  let job: SyntaxJob | undefined;
  let watch: NodeJS.Timeout | undefined;
  let ending: Promise<unknown> | undefined;

  function take(): SyntaxJob | undefined {
    const taken = job;
    clearTimeout(watch);
    worker.unref();
    job = undefined;
    return taken;
  }

  function run(next: SyntaxJob): void {
    job = next;
    watch = setTimeout(() => void end(new ThreadLost(`A parse was ended after ${HANG_MS} ms.`)), HANG_MS);
    worker.ref();
    worker.postMessage(next.request);
  }

  function end(reason: unknown): Promise<unknown> {
    if (ending) return ending;
    const lost = take();
    // Whoever waits for the end must live to see it.
    worker.ref();
    ending = worker.terminate();
    onGone(thread);
    lost?.reject(reason);
    return ending;
  }

  worker.on('message', ({ answer, worn }: SyntaxResponse) => {
    const done = take();
    if (worn) void end(undefined);
    else onFree();
    done?.resolve(answer);
  });
  worker.on('error', (error) => void end(new ThreadLost(`A syntax thread failed: ${error.message}`, { cause: error })));
  worker.on('exit', () => void end(new ThreadLost('A syntax thread ended before it answered.')));
  const thread: SyntaxThread = { job: () => job, run, end };
  return thread;
}

/** Threads run compiled code: under a test runner that serves TypeScript sources the entry is the one in `dist`. */
function threadEntry(): URL {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new URL('./thread.js', here);
  return new URL('../../../dist/workers/analysis/syntax/thread.js', here);
}
