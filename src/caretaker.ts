/** Looks after what others left behind, beside the work of this process: the jobs of workers that stopped beating. */
import type { Backend } from './backend.js';
import { pause, type Service, settlesWithin } from './core/lifecycle.js';
import { createDeathWatch, type DeathWatch } from './jobs/death-watch.js';
import { recoverWorker } from './jobs/recover.js';
import type { Logger } from './logger.js';

/** What a caretaker needs. */
export interface CaretakerOptions {
  readonly logger: Logger;
  /** Unique to this process. */
  readonly finder: string;
  /** Milliseconds without a beat after which a worker is dead. */
  readonly silenceMs: number;
  /** Resolves once the queue can be reached. */
  backend(): Promise<Backend>;
}

const END_LIMIT_MS = 500;

/** Builds the caretaker; every process of an installation runs one, and claims in Redis keep them out of each other's way. */
export function createCaretaker(options: CaretakerOptions): Service {
  const stopping = new AbortController();
  let watching: Promise<void> | undefined;
  return {
    name: 'caretaker',
    async start() {
      watching ??= repeat(createWatch(options), options.logger, stopping.signal);
    },
    quiet: () => Promise.resolve(),
    async stop() {
      stopping.abort();
      // A look may hang in a Redis that does not answer; the end of its connection ends it.
      if (watching) await settlesWithin(watching, END_LIMIT_MS);
    },
  };
}

function createWatch({ backend, finder, silenceMs, logger }: CaretakerOptions): DeathWatch {
  return createDeathWatch({
    finder,
    silenceMs,
    presence: {
      silent: async (ms) => (await backend()).presence.silent(ms),
      claim: async (workerId, by) => (await backend()).presence.claim(workerId, by),
    },
    async recover(workerId) {
      const jobs = await recoverWorker(await backend(), workerId);
      logger.warn({ workerId, jobs }, 'a worker is not heard of any more; its jobs go back to the queue');
    },
  });
}

/** Jittered, so that processes which were started together do not look together. */
async function repeat({ look, everyMs }: DeathWatch, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(everyMs * (0.9 + Math.random() / 5), signal);
    if (signal.aborted) return;
    await look().catch((err: unknown) => logger.debug({ err }, 'workers could not be looked after'));
  }
}
