/** Opens the backend in the background, so that a front end answers at once whatever state Redis is in. */
import { type Backend, leaseRedis, openBackend, type RedisLease } from './backend.js';
import type { Config } from './config.js';
import { AppError } from './core/errors.js';
import type { Service } from './core/lifecycle.js';
import type { Logger } from './logger.js';
import { warnOfUnfitRedis } from './redis-warnings.js';

/** A backend that comes up by itself. */
export interface LazyBackend extends Service {
  /** Resolves once the queue was reached; rejects with why it cannot be. A configured Redis is waited for under a second. */
  get(): Promise<Backend>;
}

interface Opened {
  readonly lease: RedisLease;
  readonly backend: Backend;
}

/** Longest wait for the first answer of a Redis that should be up. */
const CONNECT_MS = 900;

/** Builds the lazy backend; after a failure the next `get` tries again, after `stop` none does. */
export function createLazyBackend(config: Config, logger: Logger): LazyBackend {
  const starting = new AbortController();
  let opening: Promise<Opened> | undefined;
  let reached = false;
  const open = async (): Promise<Opened> => {
    starting.signal.throwIfAborted();
    opening ??= openOnce(config, logger, starting.signal).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    name: 'backend',
    async start() {
      open().catch((err: unknown) => {
        // A client that leaves at once interrupts this; that is no failure.
        if (!starting.signal.aborted) logger.error({ err }, 'the queue cannot be opened');
      });
    },
    async get() {
      const { backend } = await open();
      reached ||= await backend.ready(CONNECT_MS);
      if (reached) return backend;
      throw backend.fault();
    },
    quiet: () => Promise.resolve(),
    async stop() {
      starting.abort(
        new AppError('queue_unavailable', 'The server is stopping. Try again shortly; what was accepted goes on.'),
      );
      const opened = await opening?.catch(() => undefined);
      await opened?.backend.close();
      await opened?.lease.release();
    },
  };
}

async function openOnce(config: Config, logger: Logger, signal: AbortSignal): Promise<Opened> {
  const lease = await leaseRedis(config, logger, signal);
  // Beside the work, not before it: whoever configured this Redis may know better, and calls must not wait.
  if (config.redisUrl !== undefined) void warnOfUnfitRedis(config, logger, lease.address);
  return { lease, backend: openBackend(config, logger, lease.address, 'call') };
}
