/** What the command line does without a server: the operator's jobs, and the doctor's examination. */
import { type Backend, leaseRedis, openBackend, type RedisLease } from './backend.js';
import type { Finding, JobReport, Operator } from './cli/ports.js';
import type { Config } from './config.js';
import { AppError } from './core/errors.js';
import { LOG_START } from './core/events.js';
import { isFinal } from './core/job.js';
import { settlesWithin } from './core/lifecycle.js';
import type { Jobs } from './jobs/jobs.js';
import type { Logger } from './logger.js';
import { judge } from './ops/doctor.js';
import type { DoctorFacts, RedisAway, RedisFacts } from './ops/doctor-facts.js';
import { hostFacts } from './ops/host-facts.js';
import { createKeys } from './redis/keys.js';
import { away, probeRedis } from './redis/probe.js';
import { lookAt } from './status.js';

/** Whoever waits at a terminal is told within a few seconds, whatever Redis does. */
const CONNECT_LIMIT_MS = 3_000;
/** A Redis that has not answered by then is asked why, while it may still answer. */
const PATIENCE_MS = 300;

/** Opens the jobs of this installation for `use` and closes them again; throws `redis_unavailable` with the reason. */
export async function withOperator<T>(
  config: Config,
  logger: Logger,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  const lease = await leaseRedis(config, logger);
  try {
    const backend = openBackend(config, logger, { address: lease.address, role: 'call' });
    try {
      const ready = backend.ready(CONNECT_LIMIT_MS);
      const why = (await settlesWithin(ready, PATIENCE_MS)) ? undefined : await probe(config, lease);
      if (!(await ready)) throw unavailable(lease, why ?? (await probe(config, lease)));
      return await use({ ...operatorOf(backend), status: () => lookAt(backend, config, lease.address) });
    } finally {
      await backend.close();
    }
  } finally {
    await lease.release();
  }
}

/** Examines this host, its Redis and, where its program is named, a worker; starts the private Redis for the purpose if none runs. */
export async function examine(config: Config, logger: Logger, workerEntry?: string): Promise<readonly Finding[]> {
  const isPrivate = config.redisUrl === undefined;
  const lease = await leaseRedis(config, logger).catch((error: unknown) => reasonOf(error));
  const redis = typeof lease === 'string' ? away(new Error(lease)) : await probe(config, lease);
  const source = typeof lease === 'string' ? undefined : lease.described;
  const host = await hostFacts({ ...config, workerEntry });
  if (typeof lease !== 'string') await lease.release();
  const facts: DoctorFacts = { host, source, isPrivate, redis };
  return judge(facts);
}

function operatorOf({ jobs }: Backend): Omit<Operator, 'status'> {
  return {
    list: (query) => jobs.list(query),
    show: (id) => report(jobs, id),
    async log(id, cursor = LOG_START) {
      const { record } = await jobs.inspect(id, undefined);
      return jobs.log(record.seed.id, cursor);
    },
    async *follow(id, { signal, cursor = LOG_START }) {
      const { record } = await jobs.inspect(id, undefined);
      yield* jobs.watch(record.seed.id, { signal, cursor });
    },
    table: (id, query) => jobs.table(id, undefined, query),
    cancel: (id, reason) => jobs.cancel(id, undefined, reason),
    retry: async (id) => (await jobs.retry(id, undefined)).id,
  };
}

/** A job with its questions, which are forgotten when it ends. */
async function report(jobs: Jobs, id: string): Promise<JobReport> {
  const view = await jobs.inspect(id, undefined);
  return isFinal(view.record.state) ? view : { ...view, inputs: await jobs.inputs(view.record.seed.id) };
}

function probe(config: Config, lease: RedisLease): Promise<RedisFacts | RedisAway> {
  const prefix = createKeys(config.namespace).queuePrefix;
  return probeRedis(lease.address, { prefix, limitMs: CONNECT_LIMIT_MS });
}

function unavailable(lease: RedisLease, found: RedisFacts | RedisAway): AppError {
  const why = found.reachable ? 'it does not answer' : found.why;
  return new AppError(
    'redis_unavailable',
    `Cannot use ${lease.described}: ${why}. Check LONGHAUL_REDIS_URL (--redis); longhaul doctor tells more.`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
