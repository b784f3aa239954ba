/** Bears a store that is away for a while: what was accepted is safe, so whoever waits for it need not be told at once. */
import { untilAborted } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import { pause, settlesWithin } from '../core/lifecycle.js';

/** How long to bear what. */
export interface PatienceOptions {
  /** Ends the waiting, silently; the job goes on. */
  readonly signal: AbortSignal;
  /** Milliseconds to bear an unreachable store before `queue_unavailable`; 60,000 unless said. */
  readonly patienceMs?: number;
}

const DEFAULT_PATIENCE_MS = 60_000;
const RETRY_MS = 250;

/** Repeats a read, or a write that is harmless twice, while the store is away and one is patient; undefined once the signal aborts. */
export function createPatience(options: PatienceOptions): <T>(read: () => Promise<T>) => Promise<T | undefined> {
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
        await pause(RETRY_MS, options.signal);
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
