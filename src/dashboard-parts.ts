/** Composes what the dashboard stands on from the backend of a front end. */
import { hostname } from 'node:os';
import type { Config } from './config.js';
import { QUEUE_NAMES } from './core/tool.js';
import { BOARD_PATH, type DashboardParts, type QueueBoard } from './dashboard/parts.js';
import { productIdentity } from './identity.js';
import type { LazyBackend } from './lazy-backend.js';

/** Builds the parts; the queue is only asked when somebody looks. */
export function dashboardParts(config: Config, backend: LazyBackend): DashboardParts {
  let board: Promise<QueueBoard> | undefined;
  return {
    version: productIdentity().version,
    installation: config.namespace,
    host: hostname(),
    queues: QUEUE_NAMES,
    write: config.ops.write,
    tolerances: { silenceMs: config.workerSilenceMs, standstillMs: config.standstillMs },
    async core() {
      const { overview, jobs, redactor, presence, queue, totals } = await backend.get();
      return {
        ...{ overview, jobs, redactor },
        workers: () => presence.workers(),
        processes: async () => (await totals.read()).processes,
        counts: (name) => queue.counts(name),
        position: (id, name) => queue.position(id, name),
      };
    },
    readiness: () => backend.readiness(),
    board() {
      board ??= openBoard(backend).catch((error: unknown) => {
        board = undefined;
        throw error;
      });
      return board;
    },
  };
}

/** Its queues share the connection of the backend, and end with it. */
async function openBoard(backend: LazyBackend): Promise<QueueBoard> {
  const [{ createBoard }, { bull, redactor }] = await Promise.all([import('./bullmq/board.js'), backend.get()]);
  const clean = async (text: string) => (await redactor.redact(text)).text;
  return createBoard({ context: bull, names: QUEUE_NAMES, basePath: BOARD_PATH, clean });
}
