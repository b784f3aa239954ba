/** Composes the durable core over Redis and BullMQ; used by front ends, workers and the command line alike. */
import type { BullContext } from './bullmq/options.js';
import { type BullQueue, createBullQueue } from './bullmq/queue.js';
import type { Config } from './config.js';
import { AppError } from './core/errors.js';
import type { Outbox } from './core/outbox.js';
import type { Overview } from './core/overview.js';
import type { Passes } from './core/pass-on.js';
import type {
  BudgetLedger,
  EventLog,
  FolderClaims,
  InputMailbox,
  JobStore,
  StepJournal,
  TableStore,
} from './core/ports.js';
import type { Presence } from './core/presence.js';
import type { SessionStore } from './core/session-ports.js';
import type { UnfinishedJobs } from './core/sweep.js';
import { QUEUE_NAMES } from './core/tool.js';
import type { Totals } from './core/totals.js';
import { NO_TRACER, type Tracer } from './core/tracing.js';
import { acquireRedis } from './embedded/acquire-redis.js';
import { createJobs, type Jobs } from './jobs/jobs.js';
import type { Logger } from './logger.js';
import { describeAddress, parseRedisUrl, REDIS_URL_FORMS, type RedisAddress, withAccess } from './redis/address.js';
import { createBudgetLedger } from './redis/budget-ledger.js';
import { closeRedis, connectRedis, readyWithin } from './redis/connection.js';
import { DEFAULT_RETENTION, type RedisContext, type Retention } from './redis/context.js';
import { createEventLog } from './redis/event-log.js';
import { createFolderClaims } from './redis/folder-claims.js';
import { createHeartbeat, roundTripMs } from './redis/heartbeat.js';
import { createInputMailbox } from './redis/input-mailbox.js';
import { createJobStore } from './redis/job-store.js';
import { createKeys } from './redis/keys.js';
import { createOutbox } from './redis/outbox.js';
import { createOverview } from './redis/overview.js';
import { createPasses } from './redis/passes.js';
import { createPresence } from './redis/presence.js';
import { createSecret } from './redis/secret.js';
import { createSessionStore, DEFAULT_SESSION_LIMITS } from './redis/session-store.js';
import { createStepJournal } from './redis/step-journal.js';
import { createTableStore } from './redis/table-store.js';
import { readTlsFiles } from './redis/tls-files.js';
import { createTotals } from './redis/totals-store.js';
import { translateRedisError, translating } from './redis/translate.js';
import { isTelling } from './redis/troubles.js';
import { createTurns } from './redis/turns.js';
import { createUnfinishedJobs } from './redis/unfinished-jobs.js';
import { createRedactor, type OwnedRedactor } from './secrets/redactor.js';
import { tracingQuestions } from './trace/question-spans.js';

/** Where Redis is, and how to give it back when it is the private one. */
export interface RedisLease {
  readonly address: RedisAddress;
  /** In words, without a password. */
  readonly described: string;
  release(): Promise<void>;
}

/** Finds the Redis of this configuration: the configured one, else the private one, started if need be. */
export async function leaseRedis(config: Config, logger: Logger, signal?: AbortSignal): Promise<RedisLease> {
  if (config.redisUrl !== undefined) {
    const address = await configuredAddress(config.redisUrl, config);
    return { address, described: describeAddress(address), release: () => Promise.resolve() };
  }
  const redis = await acquireRedis({
    dataDir: config.dataDir,
    cacheDir: config.cacheDir,
    pathFolders: config.searchPath,
    ...(signal && { signal }),
    onLog: (level, message, data) => logger[level]({ ...data }, message),
  });
  logger.debug({ source: redis.source, version: redis.version }, 'private redis is up');
  return {
    address: { socketPath: redis.socketPath },
    described: `private Redis (${redis.source})`,
    release: () => redis.release(),
  };
}

async function configuredAddress(url: string, { namespace, redisEntry }: Config): Promise<RedisAddress> {
  const address = parseRedisUrl(url, namespace);
  if (!address) throw new AppError('invalid_configuration', `LONGHAUL_REDIS_URL: expected ${REDIS_URL_FORMS}`);
  const { login, sentinelLogin, tlsFiles } = redisEntry;
  return withAccess(address, {
    ...(login && { login }),
    ...(sentinelLogin && { sentinelLogin }),
    ...(tlsFiles && { tls: await readTlsFiles(tlsFiles) }),
  });
}

/** The durable core over one Redis. */
export interface Backend {
  readonly jobs: Jobs;
  readonly store: JobStore;
  readonly log: EventLog;
  readonly journal: StepJournal;
  readonly mailbox: InputMailbox;
  readonly ledger: BudgetLedger;
  readonly folders: FolderClaims;
  readonly tables: TableStore;
  readonly presence: Presence;
  /** What operators see. */
  readonly overview: Overview;
  /** Notes which workers cannot see what a job reads. */
  readonly passes: Passes;
  readonly unfinished: UnfinishedJobs;
  readonly sessions: SessionStore;
  /** What is counted for good, and what each process tells of itself. */
  readonly totals: Totals;
  /** Notifications of ended jobs that wait to be delivered. */
  readonly outbox: Outbox;
  /** The secret all front ends of this installation seal request state with; made by the first that asks. */
  secret(): Promise<string>;
  /** Takes secrets out of texts; its placeholders are the same in every process of this installation. */
  readonly redactor: OwnedRedactor;
  readonly queue: BullQueue;
  /** What consumers on the same connection stand on. */
  readonly bull: BullContext;
  /** Why Redis takes no commands, by the last error of its connections. */
  fault(): AppError;
  /** Whether Redis can take commands, waiting at most `limitMs` for it. */
  ready(limitMs: number): Promise<boolean>;
  /** Whether commands can be sent; if not, `fault` says why. */
  connected(): boolean;
  /** Whether Redis is not merely connected but answers, waiting at most `limitMs`; one that is away answers by its refusal. */
  answers(limitMs: number): Promise<boolean>;
  /** Milliseconds that Redis takes to answer. */
  roundTripMs(): Promise<number>;
  /** Closes the connections; never waits for a server that is gone. */
  close(): Promise<void>;
}

/** How the core is opened. */
export interface BackendOptions {
  readonly address: RedisAddress;
  /** `call` fails fast while Redis is away, `work` waits for it. */
  readonly role: 'call' | 'work';
  /** Records spans of questions; nothing is traced without. */
  readonly tracer?: Tracer;
  /** Hears that a connection has failed. */
  onFault?(): void;
}

/** Opens the core over one Redis. */
export function openBackend(
  config: Config,
  logger: Logger,
  { address, role, onFault, tracer = NO_TRACER }: BackendOptions,
): Backend {
  let lastError: Error | undefined;
  const onError = (err: Error) => {
    // A refusal is followed by the client's complaint about the connection it closed for it.
    if (isTelling(err) || !isTelling(lastError)) lastError = err;
    logger.debug({ err }, 'redis connection');
    onFault?.();
  };
  const onReady = () => {
    lastError = undefined;
  };
  const redis = connectRedis(address, role, { onError, onReady });
  const subscriber = connectRedis(address, 'subscribe', { onError });
  const keys = createKeys(config.namespace);
  const context: RedisContext = { redis, keys, retention: retentionOf(config) };
  const bull: BullContext = { connection: redis, prefix: keys.queuePrefix, turns: createTurns(context), onError };
  const stores = {
    ...tracingQuestions(storesOver(context, subscriber), tracer),
    sessions: sessionsOver(context, subscriber, config),
  };
  const { close: closeQueue, ...queueMethods } = createBullQueue(bull, QUEUE_NAMES);
  const queue = translating(queueMethods);
  return {
    ...stores,
    queue: { ...queue, close: closeQueue },
    bull,
    jobs: createJobs({ ...stores, queue, argumentBytes: config.maxArgumentBytes, now: Date.now }),
    fault: () => translateRedisError(lastError),
    async ready(limitMs) {
      const both = await Promise.all([readyWithin(redis, limitMs), readyWithin(subscriber, limitMs)]);
      return both.every(Boolean);
    },
    connected: () => redis.status === 'ready',
    answers: createHeartbeat(redis),
    roundTripMs: () => roundTripMs(redis),
    async close() {
      await stores.redactor.close();
      await closeQueue().catch(onError);
      closeRedis(redis);
      closeRedis(subscriber);
    },
  };
}

function retentionOf({ resultTtlMs, maxQueuedJobs, maxJobsPerCaller }: Config): Retention {
  return { ...DEFAULT_RETENTION, resultTtlMs, queuedJobs: maxQueuedJobs, jobsPerPrincipal: maxJobsPerCaller };
}

function sessionsOver(
  context: RedisContext,
  subscriber: ReturnType<typeof connectRedis>,
  { sessionIdleMs }: Config,
): SessionStore {
  const limits = { ...DEFAULT_SESSION_LIMITS, idleMs: sessionIdleMs };
  const { onHint, ...asked } = createSessionStore(context, subscriber, limits);
  return { ...translating(asked), onHint };
}

/** What lies in Redis beside the queue, and what stands on its secret. */
function storesOver(context: RedisContext, subscriber: ReturnType<typeof connectRedis>) {
  const secret = createSecret(context);
  return {
    store: translating(createJobStore(context)),
    log: translating(createEventLog(context, subscriber)),
    journal: translating(createStepJournal(context)),
    mailbox: translating(createInputMailbox(context)),
    ledger: translating(createBudgetLedger(context)),
    folders: translating(createFolderClaims(context)),
    tables: translating(createTableStore(context)),
    presence: translating(createPresence(context)),
    overview: translating(createOverview(context)),
    passes: translating(createPasses(context)),
    unfinished: translating(createUnfinishedJobs(context)),
    totals: translating(createTotals(context)),
    outbox: translating(createOutbox(context)),
    secret,
    redactor: createRedactor({ secret }),
  };
}
