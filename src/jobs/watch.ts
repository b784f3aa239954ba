/** Follows a job's events: the log is the truth, wake-ups are only hints to read it. */
import { untilAborted } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import { LOG_START, type StoredEvent } from '../core/events.js';
import type { JobId } from '../core/ids.js';
import { isFinal } from '../core/job.js';
import { pause, settlesWithin } from '../core/lifecycle.js';
import { notFound } from './inspect.js';
import type { JobPorts } from './job-ports.js';

/** How to follow a job. */
export interface WatchOptions {
  /** Read what came after this; the whole log if absent. */
  readonly cursor?: string;
  /** Ends the watch, silently; the job goes on. */
  readonly signal: AbortSignal;
  /** Milliseconds to bear an unreachable store before `queue_unavailable`; 60,000 unless said. */
  readonly patienceMs?: number;
}

const PAGE = 200;
/** A lost wake-up costs at most this; also notices a record that expired under the watcher. */
const RECHECK_MS = 5_000;
const DEFAULT_PATIENCE_MS = 60_000;

/** Yields events until the outcome; throws `job_not_found` if there is no such job, `queue_unavailable` after `patienceMs`. */
export async function* watchJob(ports: JobPorts, id: JobId, options: WatchOptions): AsyncGenerator<StoredEvent, void> {
  const bell = createBell();
  const attempt = createPatience(options);
  let listening: Promise<() => void> | undefined;
  let cursor = options.cursor ?? LOG_START;
  try {
    await attempt(() => {
      listening = ports.log.onWake(id, bell.ring);
      return listening;
    });
    while (!options.signal.aborted) {
      bell.reset();
      const page = (await attempt(() => ports.log.read(id, cursor, PAGE))) ?? [];
      yield* page;
      const last = page.at(-1);
      cursor = last?.cursor ?? cursor;
      if (last?.event.type === 'outcome') return;
      if (last) continue;
      if (await attempt(() => endedBefore(ports, id, cursor))) return;
      await bell.heard(RECHECK_MS, options.signal);
    }
  } finally {
    // Not awaited: while Redis is away a subscription may still be under way, and is undone when it comes about.
    listening?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}

/** Whether nothing can follow the cursor; a vanished record is an error. */
async function endedBefore(ports: JobPorts, id: JobId, cursor: string): Promise<boolean> {
  const record = await ports.store.get(id);
  if (!record) throw notFound(id);
  if (!isFinal(record.state)) return false;
  return (await ports.log.read(id, cursor, 1)).length === 0;
}

/** Repeats a read while the store is away, for as long as the watcher is patient; undefined once the watch is over. */
function createPatience(options: WatchOptions): <T>(read: () => Promise<T>) => Promise<T | undefined> {
  const patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
  return async (read) => {
    const giveUpAtMs = Date.now() + patienceMs;
    while (!options.signal.aborted) {
      try {
        return await untilAborted(answeredWithin(read(), giveUpAtMs - Date.now()), options.signal);
      } catch (error) {
        const away = error instanceof AppError && error.code === 'queue_unavailable';
        if (options.signal.aborted) return undefined;
        if (!away || Date.now() >= giveUpAtMs) throw error;
        await pause(250, options.signal);
      }
    }
    return undefined;
  };
}

/** A subscription waits silently for a store that is away, so silence counts as being away too. */
async function answeredWithin<T>(read: Promise<T>, limitMs: number): Promise<T> {
  if (await settlesWithin(read, limitMs)) return read;
  throw new AppError('queue_unavailable', 'The job queue does not answer. The job goes on; ask for it again shortly.');
}

interface Bell {
  ring(): void;
  reset(): void;
  /** Resolves when rung since the last reset, after `limitMs`, or on abort. */
  heard(limitMs: number, signal: AbortSignal): Promise<void>;
}

/** Plain listeners rather than joined signals: a watch may last for hours, and its caller's signal would gather them. */
function createBell(): Bell {
  let rung = false;
  let wake: () => void = () => undefined;
  return {
    ring() {
      rung = true;
      wake();
    },
    reset() {
      rung = false;
    },
    heard: (limitMs, signal) =>
      new Promise((resolve) => {
        if (rung || signal.aborted) return resolve();
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = () => undefined;
          resolve();
        };
        const timer = setTimeout(done, limitMs);
        signal.addEventListener('abort', done, { once: true });
        wake = done;
      }),
  };
}
