/** Composes the metrics of a process: what counts in it, and the route on which an installation is scraped. */
import type { Backend } from './backend.js';
import { QUEUE_NAMES, type ToolContract } from './core/tool.js';
import type { ProcessReport } from './core/totals.js';
import { productIdentity } from './identity.js';
import type { Jobs } from './jobs/jobs.js';
import { type Counting, createMeter, type Meter } from './metrics/meter.js';
import type { Reading } from './metrics/samples.js';
import { createScrape } from './metrics/scrape.js';
import type { OpsRoute } from './ops/http-routes.js';
import { countPart } from './tools/count-part.js';
import { measurePart } from './tools/measure-part.js';
import { newWorkerId } from './worker-child.js';

/** Where totals go and metrics come from: a backend that is open by now, or a rejection. */
type OpenBackend = () => Promise<Backend>;

/** Builds the meter of a process that serves clients or runs workers. */
export function meterOf(
  backend: OpenBackend,
  role: ProcessReport['role'],
  load?: () => Pick<ProcessReport, 'calls' | 'streams'>,
): Meter {
  const totals = async () => (await backend()).totals;
  return createMeter({ process: newWorkerId(), role, totals, ...(load && { load }) });
}

/** The route `/metrics`; `tools` are those whose names may be labels. */
export function metricsRoute(backend: OpenBackend, tools: Iterable<Pick<ToolContract, 'name' | 'queue'>>): OpsRoute {
  const scrape = createScrape({
    version: productIdentity().version,
    queues: QUEUE_NAMES,
    tools: new Map([...tools, countPart, measurePart].map(({ name, queue }) => [name, queue])),
    read: async () => read(await backend()),
  });
  return { method: 'GET', path: '/metrics', needs: 'read', handle: scrape };
}

async function read({ totals, presence, queue, roundTripMs }: Backend): Promise<Reading> {
  const answeredInMs = await roundTripMs();
  const [view, workers, queues] = await Promise.all([
    totals.read(),
    presence.workers(),
    Promise.all(QUEUE_NAMES.map(async (name) => [name, await queue.counts(name)] as const)),
  ]);
  return { view, workers, queues: new Map(queues), roundTripMs: answeredInMs };
}

/**
 * The jobs, with the time counted that their events take to whoever follows them. What was there before is passed on late on
 * purpose. Clocks of two machines may differ: what seems to come from the future took no time.
 */
export function countingLag(jobs: Jobs, meter: Counting): Jobs {
  return {
    ...jobs,
    async *watch(id, options) {
      const beganMs = Date.now();
      for await (const stored of jobs.watch(id, options)) {
        if (stored.atMs >= beganMs) meter.observe('event_lag', {}, Date.now() - stored.atMs);
        yield stored;
      }
    },
  };
}
