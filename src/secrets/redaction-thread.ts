/** One worker thread that redacts, request by request, each within its time; started when first needed, replaced when it fails. */
import { Worker } from 'node:worker_threads';
import { AppError } from '../core/errors.js';
import type { ThreadRequest, ThreadResponse } from './thread-messages.js';

/** See `createRedactionThread`. */
export interface RedactionThread {
  /** Resolves in turn. Rejects with `redaction_failed` if the thread dies or takes more than `limitMs` on the request. */
  ask(request: ThreadRequest, limitMs: number): Promise<ThreadResponse>;
  /** Ends the thread; what is still asked of it rejects. Idempotent. */
  close(): Promise<void>;
}

/** Builds the thread's owner; `entry` is the compiled thread. An idle thread keeps no process alive. */
export function createRedactionThread(entry: URL = threadEntry()): RedactionThread {
  let worker: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const start = (): Worker => {
    const started = new Worker(entry, { name: 'secrets' });
    // One that dies idle, for want of memory, is replaced when it is needed again.
    started
      .on('error', () => undefined)
      .once('exit', () => {
        if (worker === started) worker = undefined;
      });
    return started;
  };
  const once = async (request: ThreadRequest, limitMs: number): Promise<ThreadResponse> => {
    if (closed) throw failure('this process is stopping');
    worker ??= start();
    try {
      return await answerOf(worker, request, limitMs);
    } catch (error) {
      await end();
      throw error;
    }
  };
  return {
    ask(request, limitMs) {
      const answer = turn.then(() => once(request, limitMs));
      turn = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      closed = true;
      await end();
    },
  };
}

function answerOf(worker: Worker, request: ThreadRequest, limitMs: number): Promise<ThreadResponse> {
  return new Promise<ThreadResponse>((resolve, reject) => {
    const timer = setTimeout(() => onFailure(`it took more than ${limitMs} ms`), limitMs);
    const onFailure = (why: string, cause?: unknown) => settle(() => reject(failure(why, cause)));
    const onMessage = (response: ThreadResponse) => settle(() => resolve(response));
    const onError = (cause: unknown) => onFailure('its thread failed', cause);
    const onExit = () => onFailure('its thread ended');
    const settle = (how: () => void) => {
      clearTimeout(timer);
      // One by one: a worker has listeners of its own.
      worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
      how();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
    worker.postMessage(request);
  });
}

function failure(why: string, cause?: unknown): AppError {
  const message = `A text could not be searched for secrets, since ${why}; it was neither sent nor stored. Send less of it at once.`;
  return new AppError('redaction_failed', message, { cause });
}

/** Threads run compiled code: under a test runner that serves TypeScript sources the entry is the one in `dist`. */
function threadEntry(): URL {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new URL('./thread.js', here);
  return new URL('../../dist/src/secrets/thread.js', here);
}
