/** Composes one worker process: queue consumers, executor and the tools it can run. */
import { setMaxListeners } from 'node:events';
import { type Backend, leaseRedis, openBackend, type RedisLease } from '../src/backend.js';
import { type BullConsumer, createBullConsumer } from '../src/bullmq/consumer.js';
import type { HeldJob } from '../src/bullmq/holds.js';
import { createCaretaker } from '../src/caretaker.js';
import type { Config } from '../src/config.js';
import type { Service } from '../src/core/lifecycle.js';
import type { JsonRedactor } from '../src/core/redaction.js';
import type { Tool } from '../src/core/tool.js';
import type { Tracer } from '../src/core/tracing.js';
import { productIdentity } from '../src/identity.js';
import { wakeNext } from '../src/jobs/wake-next.js';
import type { Logger } from '../src/logger.js';
import { createMeter, type Meter } from '../src/metrics/meter.js';
import { createKeys } from '../src/redis/keys.js';
import { type Beat, createBeat } from './beat.js';
import { createExecutor } from './executor.js';
import { createLostDeliveries, type LostDeliveries } from './lost-deliveries.js';
import { createSamplingPolicy } from './policy/policy.js';
import { unwound } from './unwound.js';

/** What a worker needs. */
export interface WorkerOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly workerId: string;
  /** Records what it runs; it is the caller's to close. */
  readonly tracer: Tracer;
  /** Builds the table of the tools it can run; throws if two have one name. */
  tools(redactor: JsonRedactor): ReadonlyMap<string, Tool>;
}

interface Parts {
  readonly lease: RedisLease;
  readonly backend: Backend;
  readonly consumers: readonly BullConsumer[];
  readonly lost: LostDeliveries;
  readonly beat: Beat;
  readonly meter: Meter;
  readonly caretaker: Service;
}

/** Builds the worker. `stop` lets work finish until its deadline, then hands the rest back with the attempt unspent. */
export function createWorker(options: WorkerOptions): Service {
  const starting = new AbortController();
  const shutdown = new AbortController();
  // Every run listens to it.
  setMaxListeners(0, shutdown.signal);
  let parts: Promise<Parts> | undefined;
  let taking = false;
  let stopped: Promise<void> | undefined;
  return {
    name: 'worker',
    async start() {
      parts ??= open(options, starting.signal, shutdown.signal);
      const { consumers, beat, meter, caretaker } = await parts;
      // Whoever dies with a job in hand must have been heard of before.
      await beat.start();
      await meter.start();
      await caretaker.start();
      await Promise.all(
        consumers.map(async (consumer) => {
          await consumer.start();
          taking = true;
        }),
      );
    },
    async quiet() {
      starting.abort(new Error('the worker is stopping'));
      const opened = await parts?.catch(() => undefined);
      // Without waiting: a consumer pauses only once its running jobs are done.
      for (const consumer of opened?.consumers ?? []) consumer.quiet().catch(() => undefined);
    },
    async stop(deadlineMs) {
      starting.abort(new Error('the worker is stopping'));
      const hurry = setTimeout(() => shutdown.abort(), deadlineMs);
      stopped ??= close(await parts?.catch(() => undefined), shutdown.signal, taking);
      await stopped.finally(() => clearTimeout(hurry));
    },
  };
}

async function open(options: WorkerOptions, signal: AbortSignal, shutdown: AbortSignal): Promise<Parts> {
  const { config, logger, workerId } = options;
  const lease = await leaseRedis(config, logger, signal);
  const backend = openBackend(config, logger, { address: lease.address, role: 'work', tracer: options.tracer });
  const { redactor } = backend;
  const { inputTimeoutMs, submissionTimeoutMs } = config;
  const run = createExecutor({
    ...backend,
    inputTimeoutMs,
    submissionTimeoutMs,
    policy: createSamplingPolicy({
      limits: config.sampling,
      ledger: backend.ledger,
      redact: async (text) => (await redactor.redact(text)).text,
      wakeNext: (session) => wakeNext(backend, session),
    }),
    peers: async (name) =>
      (await backend.presence.workers()).flatMap(({ id, queues }) => (queues.includes(name) ? [id] : [])),
    tools: options.tools(redactor),
    tracer: options.tracer,
    workerId,
    logger,
    shutdown,
  });
  const lost = createLostDeliveries({ queue: backend.queue, queues: config.queues, workerId, logger });
  const beat = beatOf(options, { lease, backend }, (held) => {
    for (const consumer of consumers) consumer.lose(held);
  });
  const consumers = config.queues.map((queue) =>
    createBullConsumer(backend.bull, {
      queue,
      concurrency: config.concurrency[queue],
      workerId,
      run: lost.watching(run),
      lockMs: config.lockMs,
      onTaken: beat.taken,
      onLet: beat.let,
    }),
  );
  lost.start();
  const { workerSilenceMs: silenceMs } = config;
  const meter = createMeter({ process: workerId, role: 'worker', totals: async () => backend.totals });
  const caretaker = createCaretaker({ logger, finder: workerId, silenceMs, meter, backend: async () => backend });
  return { lease, backend, consumers, lost, beat, meter, caretaker };
}

function beatOf(
  { config, logger, workerId }: WorkerOptions,
  { lease, backend }: Pick<Parts, 'lease' | 'backend'>,
  onLost: (held: HeldJob) => void,
): Beat {
  const { queues, concurrency, lockMs, standstillMs, workerSilenceMs: silenceMs } = config;
  const keys = createKeys(config.namespace);
  const { version } = productIdentity();
  const slots = queues.reduce((sum, queue) => sum + concurrency[queue], 0);
  const { address } = lease;
  const { presence } = backend;
  const times = { lockMs, silenceMs, standstillMs };
  return createBeat({ address, keys, presence, workerId, version, queues, slots, ...times, logger, onLost });
}

async function close(parts: Parts | undefined, shutdown: AbortSignal, taking: boolean): Promise<void> {
  if (!parts) return;
  parts.lost.stop();
  const closing = Promise.all(parts.consumers.map((consumer) => consumer.stop(2 ** 31 - 1)));
  // Before the first job nothing is to be unwound, and while Redis was never reached a consumer does not close.
  if (taking) await unwound(closing, shutdown);
  await Promise.all([parts.beat.stop(0), parts.caretaker.stop(0), parts.meter.stop(0)]);
  await parts.backend.close();
  await parts.lease.release();
}
