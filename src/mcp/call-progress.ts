/** Progress of one call as its client sees it: strictly rising, at most ten a second, never silent, never late. */

/** A progress notification's values. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** See `createCallProgress`. */
export interface CallProgress {
  /** Sends an update, now or, if the last was less than a tenth of a second ago, as the latest after that. */
  report(update: ProgressUpdate): void;
  /** Sends a sign of life that barely moves the value. */
  heartbeat(message: string): void;
  /** Sends what waits and nothing more afterwards; resolves once it is on its way. */
  finish(): Promise<void>;
  /** Sends nothing more at all. */
  drop(): void;
  /** Milliseconds since something was sent. */
  silentForMs(): number;
}

type Send = (update: ProgressUpdate) => Promise<void>;

const INTERVAL_MS = 100;
/** Small enough to be overtaken by any real progress, large enough to survive JSON. */
const HEARTBEAT_STEP = 1e-6;

/**
 * Builds the progress of one call; `send` delivers one notification, and `told` is what its client has heard already.
 * Values that do not rise are left out (specification 2025-11-25 and 2026-07-28, Progress, "MUST increase").
 */
export function createCallProgress(send: Send, told = Number.NEGATIVE_INFINITY): CallProgress {
  let lastValue = told;
  let lastTotal: number | undefined;
  let lastSentMs = 0;
  let waiting: ProgressUpdate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let sending: Promise<void> = Promise.resolve();

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const update = waiting;
    waiting = undefined;
    if (!update || closed || update.progress <= lastValue) return;
    lastValue = update.progress;
    lastTotal = update.total;
    lastSentMs = Date.now();
    const { progress, total, message } = update;
    const fields = { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    sending = sending.then(() => send(fields)).catch(() => undefined);
  };
  const report = (update: ProgressUpdate): void => {
    if (closed || update.progress <= (waiting?.progress ?? lastValue)) return;
    waiting = update;
    const waitMs = lastSentMs + INTERVAL_MS - Date.now();
    if (waitMs <= 0) flush();
    else timer ??= setTimeout(flush, waitMs);
  };
  const close = (): void => {
    closed = true;
    clearTimeout(timer);
  };
  return {
    report,
    heartbeat(message) {
      const progress = Number.isFinite(lastValue) ? lastValue + HEARTBEAT_STEP : 0;
      report({ progress, total: lastTotal, message });
    },
    finish() {
      flush();
      close();
      return sending;
    },
    drop: close,
    silentForMs: () => Date.now() - lastSentMs,
  };
}
