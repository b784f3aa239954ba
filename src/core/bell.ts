/** A wake-up that is not lost when nobody listens just then. */

/** See `createBell`. */
export interface Bell {
  ring(): void;
  /** Forgets earlier rings. */
  reset(): void;
  /** Whether it was rung since the last reset. */
  hasRung(): boolean;
  /** Resolves when rung since the last reset, after `limitMs`, or on abort; never rejects. */
  heard(limitMs: number, signal: AbortSignal): Promise<void>;
}

/** Builds a bell. Plain listeners rather than joined signals: whoever waits may do so for hours, and a signal would gather them. */
export function createBell(): Bell {
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
    hasRung: () => rung,
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
