/** Composes what the dashboard stands on from the backend of a front end. */
import { hostname } from 'node:os';
import type { Config } from './config.js';
import { QUEUE_NAMES } from './core/tool.js';
import type { DashboardParts } from './dashboard/parts.js';
import { productIdentity } from './identity.js';
import type { LazyBackend } from './lazy-backend.js';

/** Builds the parts; the queue is only asked when somebody looks. */
export function dashboardParts(config: Config, backend: LazyBackend): DashboardParts {
  return {
    version: productIdentity().version,
    installation: config.namespace,
    host: hostname(),
    queues: QUEUE_NAMES,
    write: config.ops.write,
    workerSilenceMs: config.workerSilenceMs,
    async core() {
      const { overview, jobs, redactor, presence, queue } = await backend.get();
      return {
        ...{ overview, jobs, redactor },
        workers: () => presence.workers(),
        counts: (name) => queue.counts(name),
        position: (id, name) => queue.position(id, name),
      };
    },
    readiness: () => backend.readiness(),
  };
}
