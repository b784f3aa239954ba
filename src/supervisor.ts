/** Keeps the workers beside a front end alive, and puts a dead one's jobs back into the queue at once. */
import type { Backend } from './backend.js';
import { pause, type Service, settlesWithin } from './core/lifecycle.js';
import type { Complaint } from './core/trouble.js';
import { recoverWorker } from './jobs/recover.js';
import type { Logger } from './logger.js';
import type { Counting } from './metrics/meter.js';
import { newWorkerId, spawnWorker, type WorkerChild } from './worker-child.js';

/** What a supervisor needs. */
export interface SupervisorOptions {
  readonly entry: string;
  readonly count: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly meter: Counting;
  /** Resolves once the queue can be reached; jobs of dead workers are handed back through it. */
  readonly backend: () => Promise<Backend>;
}

/** Keeps workers alive, and knows whether that is in vain. */
export interface Supervisor extends Service {
  /** What is amiss if none of its workers starts; undefined as long as one may. */
  trouble(): Complaint | undefined;
}

/** The first restart is prompt: its job waits for nothing else. */
const SECOND_RESTART_MS = 100;
const LONGEST_RESTART_MS = 5_000;
/** A worker that never took a job dies of what a restart does not mend: after so many its operator is told, and restarts get rare. */
const FRUITLESS_STARTS = 3;
const LONGEST_FRUITLESS_MS = 30_000;
/** A worker that lived this long was healthy: the next restart is prompt again. */
const HEALTHY_MS = 30_000;
const HAND_BACK_LIMIT_MS = 2_000;

/** One of the workers that are kept alive. */
interface Place {
  /** Starts in a row that came to nothing. */
  fruitless: number;
  /** How the last one ended. */
  how: string;
}

/** Builds the supervisor of `count` workers. `start` resolves at once; the workers come up in the background. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  const children = new Set<WorkerChild>();
  const places: Place[] = Array.from({ length: options.count }, () => ({ fruitless: 0, how: '' }));
  let keeping: Promise<void>[] = [];
  const keepOne = async (place: Place): Promise<void> => {
    let restartMs = 0;
    let handing: Promise<void> = Promise.resolve();
    while (!stopping.signal.aborted) {
      const startedMs = Date.now();
      const child = spawnWorker({ entry: options.entry, env: options.env, workerId: newWorkerId() });
      children.add(child);
      let isReady = false;
      child.ready.then(() => {
        isReady = true;
        place.fruitless = 0;
        options.logger.debug({ workerId: child.workerId, pid: child.pid }, 'worker is ready');
      });
      const how = await child.exited;
      children.delete(child);
      if (stopping.signal.aborted) return handing;
      options.logger.error({ workerId: child.workerId, how }, 'a worker died; its jobs go back to the queue');
      // While the next one starts, which takes longer.
      handing = Promise.all([handing, handBack(options, child.workerId)]).then(() => undefined);
      if (!isReady) noteFruitless(options.logger, place, how);
      if (Date.now() - startedMs > HEALTHY_MS) restartMs = 0;
      await pause(restartMs, stopping.signal);
      const longestMs = place.fruitless < FRUITLESS_STARTS ? LONGEST_RESTART_MS : LONGEST_FRUITLESS_MS;
      restartMs = Math.min(Math.max(restartMs * 2, SECOND_RESTART_MS), longestMs);
    }
    return handing;
  };
  return {
    name: 'workers',
    async start() {
      if (keeping.length === 0) keeping = places.map(keepOne);
    },
    trouble: () => troubleOf(places),
    quiet: () => Promise.resolve(),
    async stop(deadlineMs) {
      stopping.abort();
      await Promise.all([...children].map((child) => child.stop(deadlineMs)));
      // A dead worker's jobs may still be on their way back, over a Redis that does not answer.
      await settlesWithin(Promise.all(keeping), HAND_BACK_LIMIT_MS);
    },
  };
}

function noteFruitless(logger: Logger, place: Place, how: string): void {
  place.fruitless += 1;
  place.how = how;
  if (place.fruitless === FRUITLESS_STARTS) logger.error({ how }, `workers do not start. ${MEND}`);
}

const MEND = 'Read what the worker said in this log; a broken installation is mended by installing Longhaul again';

function troubleOf(places: readonly Place[]): Complaint | undefined {
  const [first] = places;
  if (!first || places.some(({ fruitless }) => fruitless < FRUITLESS_STARTS)) return undefined;
  const seen = `${first.fruitless} starts in a row came to nothing; the last worker ended with ${first.how}`;
  return { check: 'Workers', status: 'fail', seen, mend: MEND };
}

async function handBack(options: SupervisorOptions, workerId: string): Promise<void> {
  options.meter.count('workers_lost', { by: 'exit' });
  try {
    const jobs = await recoverWorker(await options.backend(), workerId);
    if (jobs.length > 0) options.logger.info({ workerId, jobs }, 'jobs handed back');
  } catch (err) {
    options.logger.warn({ err, workerId }, 'jobs could not be handed back; whoever misses the worker does that');
  }
}
