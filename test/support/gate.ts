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

/** What is waited for, how long, and what to say was seen when it never came. */
export interface Wait {
  readonly what: string;
  /** Milliseconds; 5,000 unless said. */
  readonly limitMs?: number;
  seen?(): unknown;
}

/** Waits for a promise, but no longer than the limit; throws with what was seen meanwhile. */
export async function within<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  const limitMs = wait.limitMs ?? 5_000;
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
  const limitMs = wait.limitMs ?? 5_000;
  const giveUpAtMs = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > giveUpAtMs) throw new Error(missing(wait, limitMs, seen));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function missing(wait: Wait, limitMs: number, seen: unknown): string {
  return `waited ${limitMs} ms for ${wait.what}; seen: ${JSON.stringify(seen) ?? 'nothing'}`;
}
