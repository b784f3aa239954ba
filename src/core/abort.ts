/** Why a running handler is aborted: a closed list, carried as the signal's reason. */

/** The reasons a job's `AbortSignal` may carry. */
const ABORT_KINDS = ['cancelled', 'timed_out', 'shutdown', 'superseded', 'parked'] as const;

/** `cancelled` by the client's wish, `timed_out` by the tool's limit, `shutdown` of the worker, `superseded` by another run, `parked` to wait for answers. */
export type AbortKind = (typeof ABORT_KINDS)[number];

/** The reason of a job's aborted signal. */
export class AbortReason extends Error {
  readonly kind: AbortKind;

  constructor(kind: AbortKind, message: string) {
    super(message);
    this.name = 'AbortReason';
    this.kind = kind;
  }
}

/** Waits for `promise`, but no longer than the signal allows: rejects with the signal's reason on abort. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** See `abortableWith`. */
export interface Abortable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Stops to follow the other signal, and to wait for the limit. */
  release(): void;
}

/**
 * A signal that aborts when another one does, with its reason, or by itself, or after `limitMs`. `AbortSignal.any` does the same at
 * ten times the price, and leaves it to the garbage collector to end the bond, which takes an `AbortSignal.timeout` among its sources
 * for garbage before it has fired (nodejs/node#57736); whoever makes many or has a limit calls this, and `release` when it is over.
 */
export function abortableWith(other: AbortSignal, limitMs?: number): Abortable {
  const own = new AbortController();
  const follow = () => own.abort(other.reason);
  if (other.aborted) follow();
  else other.addEventListener('abort', follow, { once: true });
  const late = () => own.abort(new DOMException(`${limitMs} ms are over.`, 'TimeoutError'));
  const timer = limitMs === undefined ? undefined : setTimeout(late, limitMs).unref();
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release() {
      clearTimeout(timer);
      other.removeEventListener('abort', follow);
    },
  };
}
