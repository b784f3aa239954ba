/** What an executor stands on whose worker has nobody to pass jobs on to, and runs what it is given. */
import { NO_TRACER } from '../../src/core/tracing.js';
import type { ExecutorDeps } from '../../workers/run-context.js';

/** A worker without others. */
export const ALONE: Pick<ExecutorDeps, 'passes' | 'peers' | 'totals' | 'tracer'> = {
  passes: { pass: async () => ({ kind: 'nobody', asked: 1, begun: true }) },
  peers: async () => [],
  tracer: NO_TRACER,
  totals: { letGo: () => Promise.resolve() },
};
