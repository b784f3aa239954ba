/** Makes Redis connections that reconnect by themselves, in the three roles the product needs. */
import { Redis, type RedisOptions } from 'ioredis';
import { settlesWithin } from '../core/lifecycle.js';

/** Where Redis is: a unix socket of our own, or a configured `redis://` or `rediss://` URL. */
export type RedisAddress = { readonly socketPath: string } | { readonly url: string };

/**
 * `call`: commands on behalf of a waiting caller, which fail at once while Redis is away.
 * `work`: commands of a worker, which wait for Redis to come back. `subscribe`: pub/sub only.
 */
export type ConnectionRole = 'call' | 'work' | 'subscribe';

/** What a connection reports; an error here is a state of the network, not a fault of the program. */
export interface ConnectionListeners {
  onError?(error: Error): void;
  onReady?(): void;
}

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** Milliseconds before reconnect attempt `times` (from 1): doubling from 50 ms to 2 s, with up to a fifth of jitter. */
export function retryDelayMs(times: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10), LONGEST_RETRY_MS);
  return Math.round(base * (1 + random() / 5));
}

const OPTIONS = {
  // Without an offline queue a command fails in the same tick while Redis is away, so a call is answered at once.
  call: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 5_000 },
  work: { maxRetriesPerRequest: null },
  // Whoever subscribes does so again after a reconnect: the client's own way rejects unheard when it is closed meanwhile.
  subscribe: { maxRetriesPerRequest: null, autoResubscribe: false },
} as const satisfies Record<ConnectionRole, RedisOptions>;

/** Opens a connection; it connects in the background and never throws on a missing server. The caller closes it. */
export function connectRedis(address: RedisAddress, role: ConnectionRole, listeners: ConnectionListeners = {}): Redis {
  const options = {
    ...OPTIONS[role],
    retryStrategy: (times: number) => retryDelayMs(times),
    connectTimeout: 5_000,
  };
  const redis = new Redis('url' in address ? address.url : address.socketPath, options);
  redis.on('error', (error: Error) => {
    listeners.onError?.(error);
    // The client goes on in database 0 when the URL's is refused, among other people's keys: better not connected at all.
    if (isRefusedSelect(error)) redis.disconnect(true);
  });
  redis.on('ready', () => listeners.onReady?.());
  return redis;
}

/** A `ReplyError` names its command. */
function isRefusedSelect(error: Error): boolean {
  const command = 'command' in error ? error.command : undefined;
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select';
}

/** Waits until the connection takes commands, in the database it was told; false if that takes longer than `limitMs`. */
export async function readyWithin(redis: Redis, limitMs: number): Promise<boolean> {
  if (!(await becomesReady(redis, limitMs))) return false;
  // The client calls itself ready before it hears that its database is refused; the reply to this comes after that.
  const answered = redis.ping().then(
    () => redis.status === 'ready',
    () => false,
  );
  return (await settlesWithin(answered, limitMs)) && answered;
}

function becomesReady(redis: Redis, limitMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (ready: boolean) => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(ready);
    };
    const onReady = () => finish(true);
    const timer = setTimeout(() => finish(false), limitMs);
    redis.on('ready', onReady);
  });
}

/** Closes a connection without waiting for a server that may be gone. */
export function closeRedis(redis: Redis): void {
  redis.disconnect(false);
}
