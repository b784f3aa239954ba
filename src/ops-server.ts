/** Composes what operators see of a process: the listener with its access and the table of what it serves. */

import type { Config } from './config.js';
import type { Service } from './core/lifecycle.js';
import type { LazyBackend } from './lazy-backend.js';
import type { Logger } from './logger.js';
import { createOpsListener } from './ops/http-listener.js';
import { healthRoutes, type OpsRoute } from './ops/http-routes.js';
import { opsLogin } from './ops-access.js';

/** What the listener stands on, and what it serves beside health. */
export interface OpsParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly backend: LazyBackend;
  readonly routes: readonly OpsRoute[];
  /** Whether the pages of the dashboard are served as well; they are loaded only then. */
  readonly dashboard?: boolean;
}

/**
 * The listener, if there is to be one, as a service that should start before what it shows and stop after it. Throws
 * `invalid_configuration` where it would let strangers in.
 */
export async function opsServices(parts: OpsParts): Promise<Service[]> {
  const { config, logger: log, backend } = parts;
  const { port, host } = config.ops;
  if (port === undefined) return [];
  const { access, watch } = await opsLogin(config, log);
  let draining = false;
  const health = healthRoutes({ readiness: () => backend.readiness(), isDraining: () => draining });
  const pages = parts.dashboard ? await dashboard(parts) : [];
  const listener = createOpsListener({ host, port, access, routes: [...health, ...parts.routes, ...pages], log });
  return [
    ...watch,
    {
      ...listener,
      async start() {
        await listener.start();
        log.info({ ops: listener.url() }, 'listening for operators');
      },
      async quiet() {
        draining = true;
        await listener.quiet();
      },
    },
  ];
}

async function dashboard({ config, backend, logger }: OpsParts): Promise<OpsRoute[]> {
  const [{ dashboardRoutes }, { dashboardParts }] = await Promise.all([
    import('./dashboard/routes.js'),
    import('./dashboard-parts.js'),
  ]);
  return dashboardRoutes(dashboardParts(config, backend), logger);
}
