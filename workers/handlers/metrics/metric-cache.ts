/** The cache of measurements as handlers use it: wherever it fails, files are measured instead, and the client is told. */
import type { HandlerContext } from '../../../src/core/tool.js';
import type { ComplexityCache } from '../../analysis/complexity/measure-complexity.js';

/** Opens the cache of a tree, given its absolute real path; undefined where nothing is to be remembered. */
export type OpenMetricCache = (root: string) => Promise<ComplexityCache | undefined>;

/** Who is told of a failure. Messages name no path: where the cache lies is the operator's. */
type Told = Pick<HandlerContext, 'log'>;

/** Opens the cache for a measurement; undefined as well where it cannot be opened. */
export async function openForMetrics(
  open: OpenMetricCache,
  root: string,
  context: Told,
): Promise<ComplexityCache | undefined> {
  return open(root).catch(() => {
    context.log('warning', {
      message: 'The cache cannot be used, so the complexity of every file is measured; `longhaul doctor` tells why.',
    });
    return undefined;
  });
}

/** Writes down what a measurement found out. */
export async function saveAfterMetrics(cache: ComplexityCache | undefined, context: Told): Promise<void> {
  await cache?.save().catch(() => {
    context.log('warning', {
      message: 'The cache could not be written, so the next analysis measures the same files again.',
    });
  });
}
