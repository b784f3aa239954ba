/** Runs a service as a process: starts it, waits for a reason to stop, and stops it in time. */
import type { Service } from './core/lifecycle.js';
import type { Logger } from './logger.js';

/** How to run and when to end. */
export interface RunOptions {
  readonly logger: Logger;
  /** Milliseconds that work under way may take to finish after the first signal. */
  readonly graceMs: number;
  /** Another reason to stop than a signal: end of stdin, loss of the parent. */
  readonly ended?: Promise<string>;
  /** Signals that are somebody else's business here, such as Ctrl-C in a supervised child. */
  readonly ignore?: readonly NodeJS.Signals[];
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs until a signal or `options.ended`. The first signal drains, the second aborts what still runs, the third exits.
 * Resolves once everything is stopped; rejects, with everything unwound, if the service does not start.
 */
export async function runService(service: Service, options: RunOptions): Promise<void> {
  const { logger } = options;
  let heard = 0;
  let wake: (why: string) => void = () => undefined;
  const stopWanted = new Promise<string>((resolve) => {
    wake = resolve;
  });
  const onSignal = (name: NodeJS.Signals) => {
    if (options.ignore?.includes(name)) return;
    heard += 1;
    wake(name);
    if (heard === 2) service.stop(0).catch(() => undefined);
    if (heard > 2) process.exit(130);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  options.ended?.then(wake, () => wake('lost'));
  try {
    const started = service.start();
    const first = await Promise.race([started.then(() => undefined), stopWanted]);
    const why = first ?? (await stopWanted);
    logger.debug({ service: service.name, why }, 'stopping');
    await service.quiet();
  } finally {
    await service.stop(heard > 1 ? 0 : options.graceMs);
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
