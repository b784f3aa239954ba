/** Entry of a worker process: usually a supervised child, which ends when its parent does. */
import { parseArgs } from 'node:util';
import { environment, loadConfig } from '../src/config.js';
import { AppError } from '../src/core/errors.js';
import type { Service } from '../src/core/lifecycle.js';
import type { JsonRedactor } from '../src/core/redaction.js';
import { createLogger, type ProcessLogLevel, stderrWithout } from '../src/logger.js';
import { runService } from '../src/run.js';
import { secretValues } from '../src/secrets/environment-values.js';
import { loadToolFiles, toolTable } from '../src/tool-files.js';
import { openTracer, TRACES_LIMIT_MS } from '../src/tracing.js';
import { isStopMessage, newWorkerId, READY_MESSAGE } from '../src/worker-child.js';
import { builtInTools } from './built-in-tools.js';
import { createWorker } from './worker.js';

const loggerAt = (level: ProcessLogLevel) =>
  createLogger('longhaul-worker', level, stderrWithout(secretValues(environment())));

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'worker-id': { type: 'string' }, check: { type: 'boolean' } } });
  const workerId = values['worker-id'] ?? newWorkerId();
  const config = loadConfig(environment());
  const logger = loggerAt(config.logLevel).child({ workerId });
  const own = await loadToolFiles(config.toolFiles);
  // All that it needs could be loaded, which is what the doctor asks.
  if (values.check) return;
  const tools = (redactor: JsonRedactor) => toolTable([...builtInTools(config, redactor), ...own]);
  const tracer = await openTracer(environment(), logger);
  const worker = createWorker({ config, logger, workerId, tracer, tools });
  // A run that ends to wait for answers leaves what its handler has not awaited yet; that must not take other jobs down.
  process.on('unhandledRejection', (err) => logger.warn({ err }, 'work that a tool left unawaited has failed'));
  const supervised = process.channel !== undefined;
  const announced = {
    ...worker,
    async start() {
      await worker.start();
      process.send?.(READY_MESSAGE);
      logger.debug('taking jobs');
    },
  };
  await runService(announced, {
    logger,
    graceMs: config.graceMs,
    // Signals may reach the whole process group; a supervised worker waits for its parent's word. Until it listens here
    // it has no job, and SIGTERM ends it at once: see `WorkerChild.stop`.
    ignore: supervised ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : [],
    ...(supervised && { ended: parentsWord(announced) }),
  });
  await tracer.close(TRACES_LIMIT_MS);
}

/**
 * Resolves with the grace the parent grants; none if the parent is gone, since nobody watches over the jobs then. Whatever
 * comes after the first word hurries a worker that is stopping.
 */
function parentsWord(worker: Service): Promise<number> {
  return new Promise((resolve) => {
    let told = false;
    const tell = (graceMs: number) => {
      if (told) worker.stop(graceMs).catch(() => undefined);
      told = true;
      resolve(graceMs);
    };
    process.on('message', (message) => {
      if (isStopMessage(message)) tell(message.stopWithinMs);
    });
    process.once('disconnect', () => tell(0));
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const logger = loggerAt('error');
    if (error instanceof AppError) logger.fatal({ code: error.code }, error.message);
    else logger.fatal({ err: error }, 'the worker ended by a fault');
    process.exit(1);
  },
);
