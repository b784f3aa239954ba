/** Gathers plain facts about a Redis for the doctor; judges nothing, and asks nothing that needs more than a login. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { settlesWithin } from '../core/lifecycle.js';
import type { RedisAddress } from './address.js';
import { closeRedis, connectRedis, readyWithin } from './connection.js';

/** How to probe. */
export interface ProbeOptions {
  /** Begins the names of the key and channel that are used for a moment; with a hash tag on a cluster. */
  readonly prefix: string;
  /** Milliseconds to wait for the connection. */
  readonly limitMs: number;
}

const PINGS = 20;
const PUB_SUB_LIMIT_MS = 2_000;
/** What BullMQ's scripts use: cjson, cmsgpack, and a write, which a read-only replica refuses. */
const SCRIPT = `
local packed = cmsgpack.unpack(cmsgpack.pack({ cjson.decode('{"a":1}').a }))
redis.call('SET', KEYS[1], packed[1], 'PX', 1000)
return redis.call('GET', KEYS[1])`;

/** Connects, measures and closes. Never rejects for what the server does: that is a fact as well. */
export async function probeRedis(address: RedisAddress, { prefix, limitMs }: ProbeOptions) {
  let lastError: Error | undefined;
  const onError = (error: Error) => {
    lastError = error;
  };
  const redis = connectRedis(address, 'call', { onError });
  const subscriber = connectRedis(address, 'subscribe', { onError });
  try {
    if (!(await readyWithin(redis, limitMs)))
      return { reachable: false, why: lastError?.message || 'it does not answer' } as const;
    return await factsOf(redis, subscriber, `${prefix}:doctor:${randomBytes(8).toString('hex')}`);
  } catch (error) {
    return { reachable: false, why: messageOf(error) } as const;
  } finally {
    closeRedis(redis);
    closeRedis(subscriber);
  }
}

async function factsOf(redis: Redis, subscriber: Redis, name: string) {
  const info = parseInfo(await redis.info().catch(() => ''));
  const pings = await measurePings(redis);
  const fsync = await configOf(redis, 'appendfsync');
  return {
    reachable: true,
    product: info.has('valkey_version') || info.get('server_name') === 'valkey' ? 'Valkey' : 'Redis',
    version: info.get('valkey_version') ?? info.get('redis_version'),
    role: info.get('role'),
    evictionPolicy: info.get('maxmemory_policy') ?? (await configOf(redis, 'maxmemory-policy')),
    aofEnabled: flag(info.get('aof_enabled')),
    aofWritesOk: info.has('aof_last_write_status') ? info.get('aof_last_write_status') === 'ok' : undefined,
    /** Undefined where CONFIG is forbidden, as on managed services. */
    fsync,
    maxMemoryBytes: number(info.get('maxmemory')),
    usedMemoryBytes: number(info.get('used_memory')),
    systemMemoryBytes: number(info.get('total_system_memory')),
    pingMedianMs: median(pings),
    pingWorstMs: Math.max(...pings),
    clockAheadMs: await clockAheadMs(redis),
    scriptFault: await scriptFault(redis, name),
    pubSubMs: await pubSubMs(redis, subscriber, name),
  } as const;
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => /^([a-z0-9_]+):(.*?)\r?$/.exec(line));
  return new Map(lines.flatMap((match) => (match?.[1] === undefined ? [] : [[match[1], match[2] ?? '']])));
}

async function configOf(redis: Redis, setting: string): Promise<string | undefined> {
  const reply = await redis.config('GET', setting).catch(() => undefined);
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined;
}

async function measurePings(redis: Redis): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < PINGS; at++) {
    const startedMs = performance.now();
    await redis.ping();
    taken.push(performance.now() - startedMs);
  }
  return taken;
}

/** How far Redis' clock is ahead of this host's, taking the moment halfway between question and answer. */
async function clockAheadMs(redis: Redis): Promise<number | undefined> {
  const askedMs = Date.now();
  const reply = await redis.time().catch(() => undefined);
  const answeredMs = Date.now();
  if (!reply) return undefined;
  const [seconds, micros] = reply.map(Number);
  return Math.round((seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000 - (askedMs + answeredMs) / 2);
}

async function scriptFault(redis: Redis, key: string): Promise<string | undefined> {
  try {
    const reply = await redis.eval(SCRIPT, 1, key);
    return reply === '1' ? undefined : `the script answered ${JSON.stringify(reply)}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Milliseconds until a message published on one connection arrived on the other; undefined if it did not. */
async function pubSubMs(redis: Redis, subscriber: Redis, channel: string): Promise<number | undefined> {
  const arrived = new Promise<void>((resolve) => subscriber.once('message', () => resolve()));
  const exchange = async () => {
    await subscriber.subscribe(channel);
    const startedMs = performance.now();
    await redis.publish(channel, 'ping');
    await arrived;
    return performance.now() - startedMs;
  };
  const exchanged = exchange().catch(() => undefined);
  return (await settlesWithin(exchanged, PUB_SUB_LIMIT_MS)) ? await exchanged : undefined;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function flag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === '1';
}

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
