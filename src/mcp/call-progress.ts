/** Progress of one call as its client sees it: strictly rising, at most ten a second beside signs of life, never silent, never late. */

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
  /** Sends a sign of life that barely moves the value, unless an update is about to go out; it holds no update up. */
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
  const line = createLine(send, told);
  /** The highest that was reported: what signs of life add to the value must not keep a report from being told. */
  let lastReport = told;
  let lastReportMs = 0;
  let waiting: ProgressUpdate | undefined;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const update = waiting;
    waiting = undefined;
    if (!update) return;
    lastReport = update.progress;
    lastReportMs = Date.now();
    line.tell(update.progress > line.value() ? update : { ...update, progress: line.next() });
  };
  const close = (): void => {
    line.close();
    clearTimeout(timer);
  };
  return {
    report(update) {
      if (line.isClosed() || update.progress <= (waiting?.progress ?? lastReport)) return;
      waiting = update;
      const waitMs = lastReportMs + INTERVAL_MS - Date.now();
      if (waitMs <= 0) flush();
      else timer ??= setTimeout(flush, waitMs);
    },
    heartbeat(message) {
      if (!waiting) line.tell({ progress: line.next(), total: line.total(), message });
    },
    finish() {
      flush();
      close();
      return line.sent();
    },
    drop: close,
    silentForMs: line.silentForMs,
  };
}

/** What goes out, one notification after the other, each with a higher value than the one before. */
function createLine(send: Send, told: number) {
  let lastValue = told;
  let lastTotal: number | undefined;
  let lastSentMs = 0;
  let closed = false;
  let sending: Promise<void> = Promise.resolve();
  return {
    tell({ progress, total, message }: ProgressUpdate): void {
      if (closed || progress <= lastValue) return;
      lastValue = progress;
      lastTotal = total;
      lastSentMs = Date.now();
      const fields = { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
      sending = sending.then(() => send(fields)).catch(() => undefined);
    },
    value: () => lastValue,
    /** A value that is barely higher than the last. */
    next: () => (Number.isFinite(lastValue) ? lastValue + HEARTBEAT_STEP : 0),
    total: () => lastTotal,
    silentForMs: () => Date.now() - lastSentMs,
    sent: () => sending,
    isClosed: () => closed,
    close(): void {
      closed = true;
    },
  };
}
