/** Opens the backend in the background, so that a front end answers at once whatever state Redis is in. */
import { type Backend, leaseRedis, openBackend, type RedisLease } from './backend.js';
import type { Config } from './config.js';
import { AppError } from './core/errors.js';
import { type Service, settlesWithin } from './core/lifecycle.js';
import { NO_TRACER, type Tracer } from './core/tracing.js';
import type { Readiness } from './core/trouble.js';
import type { Logger } from './logger.js';
import { notReady, type RedisWatch, watchRedis } from './redis-watch.js';

/** A backend that comes up by itself. */
export interface LazyBackend extends Service {
  /** Resolves once the queue was reached; rejects with why it cannot be. A configured Redis is waited for under a second. */
  get(): Promise<Backend>;
  /** As `get`, for who asks again and again: after a failure it waits for a call to try again, which may fetch a Redis. */
  getIfOpen(): Promise<Backend>;
  /** Whether calls can be served, and what is amiss; answers within two seconds whatever state Redis is in. */
  readiness(): Promise<Readiness>;
}

interface Opened {
  readonly lease: RedisLease;
  readonly backend: Backend;
  readonly watch: RedisWatch;
}

/** Longest wait for the first answer of a Redis that should be up: a call has to be answered within a second, also on a busy machine. */
const CONNECT_MS = 750;
/** What a call hears while a server that was reached says nothing. */
const SILENT =
  'The job queue is unavailable: Redis does not answer. Nothing was accepted; try again shortly, and if it stays, let the operator run `longhaul doctor`.';

/** Builds the lazy backend; after a failure the next `get` tries again, after `stop` none does. */
export function createLazyBackend(config: Config, logger: Logger, tracer: Tracer = NO_TRACER): LazyBackend {
  const starting = new AbortController();
  let opening: Promise<Opened> | undefined;
  let reached = false;
  const open = async (): Promise<Opened> => {
    starting.signal.throwIfAborted();
    opening ??= openOnce({ config, logger, tracer }, starting.signal).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const get = async (): Promise<Backend> => {
    const { backend } = await open();
    reached ||= await backend.ready(CONNECT_MS);
    if (!reached || !backend.connected()) throw backend.fault();
    if (await backend.answers(CONNECT_MS)) return backend;
    throw new AppError('queue_unavailable', SILENT);
  };
  return {
    name: 'backend',
    async start() {
      open().catch((err: unknown) => {
        // A client that leaves at once interrupts this; that is no failure.
        if (!starting.signal.aborted) logger.error({ err }, 'the queue cannot be opened');
      });
    },
    get,
    async getIfOpen() {
      if (opening) return get();
      throw new AppError('queue_unavailable', 'The queue could not be opened yet.');
    },
    readiness: () => readinessOf(open()),
    quiet: () => Promise.resolve(),
    async stop() {
      starting.abort(
        new AppError('queue_unavailable', 'The server is stopping. Try again shortly; what was accepted goes on.'),
      );
      const opened = await opening?.catch(() => undefined);
      opened?.watch.stop();
      await opened?.backend.close();
      await opened?.lease.release();
    },
  };
}

async function readinessOf(opening: Promise<Opened>): Promise<Readiness> {
  try {
    if (!(await settlesWithin(opening, CONNECT_MS))) return waitingFor('the private Redis is still starting');
    const { watch, backend } = await opening;
    const [readiness, connected] = await Promise.all([watch.look(), backend.ready(CONNECT_MS)]);
    return connected || !readiness.ready ? readiness : waitingFor('this process is still reconnecting to Redis');
  } catch (error) {
    return notReady(error);
  }
}

function waitingFor(seen: string): Readiness {
  return { ready: false, complaints: [{ check: 'Connection', status: 'fail', seen, mend: 'Wait a few seconds' }] };
}

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

async function openOnce({ config, logger, tracer }: Parts, signal: AbortSignal): Promise<Opened> {
  const lease = await leaseRedis(config, logger, signal);
  const { address } = lease;
  // Beside the work, not before it: calls must not wait for it, and an unfit Redis still serves.
  const watch = watchRedis({ config, logger, address });
  return {
    lease,
    watch,
    backend: openBackend(config, logger, { address, role: 'call', tracer, onFault: watch.nudge }),
  };
}
