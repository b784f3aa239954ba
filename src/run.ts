/** Runs a service as a process: starts it, waits for a reason to stop, and stops it in time. */
import type { Service } from './core/lifecycle.js';
import type { Logger } from './logger.js';

/** How to run and when to end. */
export interface RunOptions {
  readonly logger: Logger;
  /** Milliseconds that work under way may take to finish after the first signal. */
  readonly graceMs: number;
  /** Another reason to stop than a signal, such as the end of stdin; resolves with the grace in milliseconds. */
  readonly ended?: Promise<number>;
  /** Signals that are somebody else's business here, such as Ctrl-C in a supervised child. */
  readonly ignore?: readonly NodeJS.Signals[];
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs until a signal or `options.ended`. The first signal drains, the second aborts what still runs, the third exits.
 * Resolves once everything is stopped; rejects, with everything unwound, if the service does not start.
 */
export async function runService(service: Service, options: RunOptions): Promise<void> {
  const { logger, graceMs } = options;
  const stopWanted = createStopWish(service, options);
  let grace = 0;
  try {
    const started = service.start();
    const early = await Promise.race([started.then(() => undefined), stopWanted.graceMs]);
    grace = early ?? (await stopWanted.graceMs);
    logger.debug({ service: service.name, graceMs: grace }, 'stopping');
    await service.quiet();
  } finally {
    await service.stop(Math.min(grace, graceMs));
    stopWanted.dispose();
  }
}

/** Listens for every reason to stop. */
function createStopWish(service: Service, options: RunOptions): { graceMs: Promise<number>; dispose(): void } {
  let heard = 0;
  let wake: (graceMs: number) => void = () => undefined;
  const graceMs = new Promise<number>((resolve) => {
    wake = resolve;
  });
  const onSignal = (name: NodeJS.Signals) => {
    if (options.ignore?.includes(name)) return;
    heard += 1;
    wake(options.graceMs);
    if (heard === 2) service.stop(0).catch(() => undefined);
    if (heard > 2) process.exit(130);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  options.ended?.then(wake, () => wake(0));
  return {
    graceMs,
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
