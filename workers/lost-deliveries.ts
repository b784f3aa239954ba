/**
 * Finds jobs that the queue believes to be run here but that never arrived: Redis was killed between the move and its reply.
 * Nobody else will look for them, since this worker lives.
 */
import type { Delivery, JobQueue, Verdict } from '../src/core/ports.js';
import { QUEUE_NAMES } from '../src/core/tool.js';
import type { Logger } from '../src/logger.js';

/** What the search stands on. */
export interface LostDeliveriesDeps {
  readonly queue: Pick<JobQueue, 'handBack'>;
  /** Those this worker serves. */
  readonly queues?: readonly string[];
  readonly workerId: string;
  readonly logger: Logger;
  /** Milliseconds between two looks; a job must be missing in two of them. 5,000 unless said. */
  readonly intervalMs?: number;
}

/** See `createLostDeliveries`. */
export interface LostDeliveries {
  /** Runs a delivery, and knows until its verdict that the job is here. */
  watching(run: (delivery: Delivery) => Promise<Verdict>): (delivery: Delivery) => Promise<Verdict>;
  /** Begins to look; the timer does not keep the process alive. */
  start(): void;
  stop(): void;
}

const INTERVAL_MS = 5_000;

/** Builds the search. A verdict takes a moment to be carried out, so a job that is missing once is only a suspect. */
export function createLostDeliveries(deps: LostDeliveriesDeps): LostDeliveries {
  const here = new Set<string>();
  let suspects: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;

  const look = async (): Promise<void> => {
    const missing = new Set<string>();
    const isLost = (id: string): boolean => {
      if (here.has(id)) return false;
      missing.add(id);
      return suspects.has(id);
    };
    const queues = deps.queues ?? QUEUE_NAMES;
    const back = await Promise.all(queues.map((name) => deps.queue.handBack(deps.workerId, name, isLost)));
    suspects = missing;
    if (back.flat().length > 0) deps.logger.warn({ jobs: back.flat() }, 'jobs that never arrived go back to the queue');
  };
  const tick = (): void => {
    // While Redis is away a look lasts as long as that; another one beside it would see nothing else.
    if (looking) return;
    looking = true;
    look()
      .catch((err: unknown) => deps.logger.debug({ err }, 'lost deliveries could not be looked for'))
      .finally(() => {
        looking = false;
      });
  };
  return {
    watching: (run) => async (delivery) => {
      here.add(delivery.id);
      try {
        return await run(delivery);
      } finally {
        here.delete(delivery.id);
      }
    },
    start() {
      timer ??= setInterval(tick, deps.intervalMs ?? INTERVAL_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
