/**
 * Looks for workers that stopped beating. Silence is death only to somebody who has seen Redis all the time: after an outage,
 * a suspended machine or a blocked event loop nobody could be heard, so everybody gets the time to beat again.
 */
import type { Presence } from '../core/presence.js';

/** What the watch stands on. */
export interface DeathWatchOptions {
  readonly presence: Pick<Presence, 'silent' | 'claim'>;
  /** Unique to this process. */
  readonly finder: string;
  /** Milliseconds without a beat after which a worker is dead. */
  readonly silenceMs: number;
  /** Takes the dead worker's jobs; rejects if that must be tried again. */
  recover(workerId: string): Promise<void>;
  /** Milliseconds since the epoch: a clock that goes on while the machine is suspended. */
  now?(): number;
}

/** See `createDeathWatch`. */
export interface DeathWatch {
  /** Looks once; resolves with the workers that were found dead and taken care of by this process. */
  look(): Promise<readonly string[]>;
  /** Milliseconds from one look to the next. */
  readonly everyMs: number;
}

const LONGEST_LOOK_MS = 2_000;

/** Longest that a connection which is tried again waits, with what it takes to beat after that. */
const RECONNECT_MS = 3_000;

/** Builds the watch. */
export function createDeathWatch(options: DeathWatchOptions): DeathWatch {
  const { presence, finder, silenceMs, recover, now = Date.now } = options;
  const everyMs = Math.min(LONGEST_LOOK_MS, silenceMs / 2);
  const gapMs = 2 * everyMs + 1_000;
  let seenFromMs: number | undefined;
  let seenAtMs = 0;

  /** Whether Redis was within sight for so long, as of a look that has just succeeded, that silence means something. */
  const isTrusted = (): boolean => {
    const nowMs = now();
    // A clock that was set back is as good as a gap.
    if (seenFromMs === undefined || nowMs - seenAtMs > gapMs || nowMs < seenAtMs) seenFromMs = nowMs;
    seenAtMs = nowMs;
    return nowMs - seenFromMs >= silenceMs + RECONNECT_MS;
  };
  return {
    everyMs,
    async look() {
      const silent = await presence.silent(silenceMs);
      if (!isTrusted()) return [];
      const recovered: string[] = [];
      for (const workerId of silent) {
        if (!(await presence.claim(workerId, finder))) continue;
        await recover(workerId);
        recovered.push(workerId);
      }
      return recovered;
    },
  };
}
