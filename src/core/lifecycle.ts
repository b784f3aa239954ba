/** The shape of everything that is started and stopped, and waiting with a limit. */

/** A part of a process with a life: `start` fails fast, `quiet` takes no new work, `stop` ends what is left in time. */
export interface Service {
  readonly name: string;
  /** Resolves once the service does its duty; a second call changes nothing. */
  start(): Promise<void>;
  /** Stops taking new work; work under way goes on. */
  quiet(): Promise<void>;
  /** Ends within `deadlineMs` milliseconds whatever happens; a second call may shorten that, and waits for the same end. */
  stop(deadlineMs: number): Promise<void>;
}

/** Waits for a promise at most `limitMs`; says whether it settled in time. A rejection counts as settled and is swallowed. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([
      promise.then(
        () => true,
        () => true,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

const SLICE_MS = 100;

/**
 * As `settlesWithin`, but time in which this process itself stood still says nothing of the other side: of each slice
 * of 100 ms only its due length counts.
 */
export async function settlesFairlyWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += SLICE_MS) {
    if (await settlesWithin(promise, Math.min(SLICE_MS, limitMs - waitedMs))) return true;
  }
  return false;
}

/** Waits `ms` milliseconds or until the signal aborts, whichever is first; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
