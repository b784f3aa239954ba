/** Makes Redis connections that reconnect by themselves, in the three roles the product needs. */
import { Redis, type RedisOptions } from 'ioredis';
import { settlesFairlyWithin } from '../core/lifecycle.js';
import type { RedisAddress, RedisLogin, TlsFiles } from './address.js';
import { retryDelayMs } from './back-off.js';
import { createClusterConnector } from './cluster-connector.js';
import { gatherWrites } from './gather-writes.js';

export type { RedisAddress } from './address.js';

/**
 * `call`: commands on behalf of a waiting caller, which fail at once while Redis is away.
 * `work`: commands of a worker, which wait for Redis to come back. `subscribe`: pub/sub only. `probe`: a look at a server
 * in whatever state, whose every answer counts, also that it is still loading.
 */
export type ConnectionRole = 'call' | 'work' | 'subscribe' | 'probe';

/** What a connection reports; an error here is a state of the network, not a fault of the program. */
export interface ConnectionListeners {
  onError?(error: Error): void;
  onReady?(): void;
}

/** The client's options without the one that makes its type depend on its value. */
type ConnectionOptions = Omit<RedisOptions, 'replyMapping'>;

/** Longest wait for a connection, and for a Sentinel's answer. */
const CONNECT_LIMIT_MS = 5_000;
const SENTINEL_LIMIT_MS = 1_500;

/**
 * What a server says that is no longer, or not yet, the one to talk to: it was demoted, its cluster's slot moved or has
 * no majority, it loads. Where it says so inside a script, Redis 6.2 puts its own words before.
 */
const MISPLACED = /(?:^|: ?-)(?:READONLY|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|UNBLOCKED|LOADING)\b/;
const REFUSALS_FORGOTTEN_MS = 10_000;

/**
 * A connection on which nothing came for so long, though something was asked, is taken for dead: a host that is gone or
 * frozen does not hang up, and its replica may have taken over. A queue may wait 10 s for a job, a call only 5 s.
 */
const SILENCE_LIMIT_MS = { call: 6_000, work: 15_000, subscribe: 15_000, probe: 6_000 } as const;
/** A subscriber asks nothing by itself, so it is made to. */
const SUBSCRIBER_PING_MS = 5_000;

const OPTIONS = {
  // Without an offline queue a command fails in the same tick while Redis is away, so a call is answered at once.
  call: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 5_000 },
  work: { maxRetriesPerRequest: null },
  probe: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 2_000,
    enableReadyCheck: false,
    // What a full server says to the first command before it hangs up would go to these, which nobody hears.
    disableClientInfo: true,
  },
  // Whoever subscribes does so again after a reconnect: the client's own way rejects unheard when it is closed meanwhile.
  subscribe: { maxRetriesPerRequest: null, autoResubscribe: false },
} as const satisfies Record<ConnectionRole, RedisOptions>;

/** Opens a connection; it connects in the background and never throws on a missing server. The caller closes it. */
export function connectRedis(address: RedisAddress, role: ConnectionRole, listeners: ConnectionListeners = {}): Redis {
  const options: ConnectionOptions = {
    ...OPTIONS[role],
    ...reconnecting(role),
    ...placeOptions(address),
    connectTimeout: CONNECT_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS[role],
  };
  const redis = 'url' in address ? new Redis(address.url, options) : new Redis(options);
  redis.on('error', (error: Error) => {
    listeners.onError?.(error);
    // The client goes on in database 0 when the URL's is refused, among other people's keys: better not connected at all.
    if (isRefusedSelect(error)) redis.disconnect(true);
  });
  redis.on('ready', () => listeners.onReady?.());
  gatherWrites(redis);
  if (role === 'subscribe') keepAsking(redis);
  return redis;
}

function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, SUBSCRIBER_PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

function placeOptions(address: RedisAddress): ConnectionOptions {
  const { login, sentinelLogin, tls } = address;
  const access = { ...loginOptions(login), ...(tls && { tls: tlsOptions(tls) }) };
  if ('socketPath' in address) return { path: address.socketPath, ...access };
  if ('nodes' in address) return { ...access, Connector: createClusterConnector({ ...address, access }) };
  if ('url' in address) return access;
  return {
    ...access,
    sentinels: [...address.sentinels],
    name: address.master,
    db: address.database,
    sentinelRetryStrategy: retryDelayMs,
    sentinelCommandTimeout: SENTINEL_LIMIT_MS,
    ...(sentinelLogin?.username && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin?.password && { sentinelPassword: sentinelLogin.password }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(tls) }),
  };
}

function loginOptions({ username, password }: RedisLogin = {}): ConnectionOptions {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

function tlsOptions({ ca, cert, key }: TlsFiles) {
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

/** A closure per connection keeps count, since the client starts over each time it was let in. */
function reconnecting(role: ConnectionRole) {
  let refusals = 0;
  let lastRefusedAtMs = 0;
  return {
    retryStrategy: (times: number) => retryDelayMs(times + refusals),
    reconnectOnError(error: Error): false | 1 | 2 {
      if (!MISPLACED.test(error.message)) return false;
      refusals = Date.now() - lastRefusedAtMs < REFUSALS_FORGOTTEN_MS ? refusals + 1 : 0;
      lastRefusedAtMs = Date.now();
      // A caller is told at once; work is sent again, to whoever is found in the meantime.
      return role === 'work' || role === 'subscribe' ? 2 : 1;
    },
  };
}

/** A `ReplyError` names its command. */
function isRefusedSelect(error: Error): boolean {
  const command = 'command' in error ? error.command : undefined;
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select';
}

/**
 * Waits until the connection takes commands, in the database it was told; false if that takes longer than `limitMs`. A process that is
 * still busy to load itself is no server that does not answer, so its own standstills do not count.
 */
export async function readyWithin(redis: Redis, limitMs: number): Promise<boolean> {
  if (!(await becomesReady(redis, limitMs))) return false;
  // The client calls itself ready before it hears that its database is refused; the reply to this comes after that.
  const answered = redis.ping().then(
    () => redis.status === 'ready',
    () => false,
  );
  return (await settlesFairlyWithin(answered, limitMs)) && answered;
}

/** Waits until the client calls itself ready; false if that takes longer than `limitMs`, standstills of this process not counted. */
export async function becomesReady(redis: Redis, limitMs: number): Promise<boolean> {
  if (redis.status === 'ready') return true;
  let onReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  redis.on('ready', onReady);
  try {
    return await settlesFairlyWithin(ready, limitMs);
  } finally {
    redis.off('ready', onReady);
  }
}

/** Closes a connection without waiting for a server that may be gone. */
export function closeRedis(redis: Redis): void {
  redis.disconnect(false);
}
