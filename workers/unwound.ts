/** Waits for a stopping worker to let go of its jobs: how long handlers may take to unwind, and what comes after them. */
import { settlesFairlyWithin } from '../src/core/lifecycle.js';

/** A handler that ignores its signal keeps its slot this much longer, then is abandoned. */
export const HANDLER_UNWIND_MS = 1_000;

/** After that its job is still to be handed back, over a Redis that may be busy: what is cut off then counts as a crash. */
const UNWIND_MS = HANDLER_UNWIND_MS + 1_000;

/**
 * Resolves once `closing` has, or two seconds after `shutdown` aborts; time in which this process stood still does not count,
 * since its jobs could not be handed back in it.
 */
export async function unwound(closing: Promise<unknown>, shutdown: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (shutdown.aborted) resolve();
    else shutdown.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([closing, aborted]);
  await settlesFairlyWithin(closing, UNWIND_MS);
}
