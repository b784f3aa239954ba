/** Waiting in tests without sleeping: gates to hold work at, and waits that are bounded and say what they saw. */

/** A door that work waits at until the test opens it. */
export interface Gate<T = void> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

/** Builds a closed gate. */
export function createGate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/**
 * How long tests wait for what is to come, in milliseconds. It only bounds a failure, so it is what a machine ten times busier
 * than ours needs to start a process; no longer, since what a lost wake-up leaves to the next look in half a minute is to fail.
 */
export const PATIENCE_MS = 25_000;

/** What is waited for, how long, and what to say was seen when it never came. */
export interface Wait {
  readonly what: string;
  /** Milliseconds; `PATIENCE_MS` unless said. */
  readonly limitMs?: number;
  seen?(): unknown;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;

/** Waits for a promise, but no longer than the limit; throws with what was seen meanwhile. */
export async function within<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  const limitMs = wait.limitMs ?? PATIENCE_MS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(missing(wait, limitMs, wait.seen?.()))), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks again and again until `holds` likes what `look` saw: for facts of a server that announces nothing. */
export async function until<T>(look: () => T | Promise<T>, holds: (seen: T) => boolean, wait: Wait): Promise<T> {
  const limitMs = wait.limitMs ?? PATIENCE_MS;
  const beganMs = Date.now();
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    const waitedMs = Date.now() - beganMs;
    if (waitedMs > limitMs) throw new Error(missing(wait, limitMs, seen));
    // Seldomer the longer it takes: a look may cost what is waited for the time it needs.
    const pauseMs = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + waitedMs / 20);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function missing(wait: Wait, limitMs: number, seen: unknown): string {
  return `waited ${limitMs} ms for ${wait.what}; seen: ${JSON.stringify(seen) ?? 'nothing'}`;
}
