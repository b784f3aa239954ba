/** Looks after what others left behind, beside the work of this process: jobs of dead workers, and jobs out of order. */
import type { Backend } from './backend.js';
import { pause, type Service, settlesWithin } from './core/lifecycle.js';
import { createDeathWatch } from './jobs/death-watch.js';
import { recoverWorker } from './jobs/recover.js';
import { sweep } from './jobs/sweep.js';
import type { Logger } from './logger.js';
import type { Counting } from './metrics/meter.js';

/** What a caretaker needs. */
export interface CaretakerOptions {
  readonly logger: Logger;
  /** Unique to this process. */
  readonly finder: string;
  readonly meter: Counting;
  /** Milliseconds without a beat after which a worker is dead. */
  readonly silenceMs: number;
  /** Resolves once the queue can be reached. */
  backend(): Promise<Backend>;
}

/** Something that is done again and again. */
interface Chore {
  readonly what: string;
  readonly everyMs: number;
  act(signal: AbortSignal): Promise<unknown>;
}

const SWEEP_MS = 15_000;
const END_LIMIT_MS = 500;

/** Builds the caretaker; every process of an installation runs one, and claims in Redis keep them out of each other's way. */
export function createCaretaker(options: CaretakerOptions): Service {
  const stopping = new AbortController();
  let working: Promise<unknown> | undefined;
  return {
    name: 'caretaker',
    async start() {
      const chores = [watchChore(options), sweepChore(options)];
      working ??= Promise.all(chores.map((chore) => repeat(chore, options.logger, stopping.signal)));
    },
    quiet: () => Promise.resolve(),
    async stop() {
      stopping.abort();
      // A look may hang in a Redis that does not answer; the end of its connection ends it.
      if (working) await settlesWithin(working, END_LIMIT_MS);
    },
  };
}

function watchChore({ backend, finder, silenceMs, logger, meter }: CaretakerOptions): Chore {
  const { look, everyMs } = createDeathWatch({
    finder,
    silenceMs,
    presence: {
      silent: async (ms) => (await backend()).presence.silent(ms),
      claim: async (workerId, by) => (await backend()).presence.claim(workerId, by),
    },
    async recover(workerId) {
      const jobs = await recoverWorker(await backend(), workerId);
      meter.count('workers_lost', { by: 'silence' });
      logger.warn({ workerId, jobs }, 'a worker is not heard of any more; its jobs go back to the queue');
    },
  });
  return { what: 'dead workers', everyMs, act: look };
}

/** One process sweeps at a time, whichever comes first when it is time again. */
function sweepChore({ backend, finder, logger, meter }: CaretakerOptions): Chore {
  return {
    what: 'jobs out of order',
    everyMs: SWEEP_MS,
    async act(signal) {
      const ports = await backend();
      if (!(await ports.unfinished.claim(finder, SWEEP_MS * 0.8))) return;
      const repaired = await sweep(ports, { signal });
      for (const { repair } of repaired) meter.count('repairs', { repair });
      if (repaired.length > 0) logger.warn({ repaired }, 'jobs that were out of order were repaired');
    },
  };
}

/** Jittered, so that processes which were started together do not look together. */
async function repeat({ act, everyMs, what }: Chore, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs * (0.9 + Math.random() / 5), signal);
    if (signal.aborted) return;
    await act(signal).catch((err: unknown) => logger.debug({ err, what }, 'could not be looked after'));
  }
}
