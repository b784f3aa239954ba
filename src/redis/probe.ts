/** Gathers plain facts about a Redis for the doctor; judges nothing, and asks nothing that needs more than a login. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { settlesWithin } from '../core/lifecycle.js';
import type { Trouble } from '../core/trouble.js';
import type { RedisAddress } from './address.js';
import { becomesReady, closeRedis, connectRedis } from './connection.js';
import { isTelling, troubleOf } from './troubles.js';

/** How to probe. */
export interface ProbeOptions {
  /** Begins the names of the key and channel that are used for a moment; with a hash tag on a cluster. */
  readonly prefix: string;
  /** Milliseconds to wait for the connection. */
  readonly limitMs: number;
}

const PINGS = 10;
const PUB_SUB_LIMIT_MS = 2_000;
/** What BullMQ's scripts use: cjson, cmsgpack, and a write, which a full or read-only server refuses. Leaves nothing. */
const SCRIPT = `
local packed = cmsgpack.unpack(cmsgpack.pack({ cjson.decode('{"a":1}').a }))
redis.call('SET', KEYS[1], packed[1], 'PX', 1000)
local stored = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return stored`;

/** Connects, measures and closes. Never rejects for what the server does: that is a fact as well. */
export async function probeRedis(address: RedisAddress, { prefix, limitMs }: ProbeOptions) {
  let lastError: Error | undefined;
  let tell: (error: Error) => void = () => undefined;
  const told = new Promise<Error>((resolve) => {
    tell = resolve;
  });
  const onError = (error: Error) => {
    // What Redis itself says will not change by trying again.
    if (isTelling(error)) tell(error);
    lastError = error;
  };
  const redis = connectRedis(address, 'probe', { onError });
  const subscriber = connectRedis(address, 'subscribe');
  redis.on('close', () => {
    lastError ??= new Error('it hung up');
  });
  try {
    const fault = await Promise.race([answerFault(redis, limitMs), told]);
    if (fault) return away(fault instanceof Silence ? (lastError ?? fault) : fault);
    return await factsOf(redis, subscriber, `${prefix}:doctor:${randomBytes(8).toString('hex')}`);
  } catch (error) {
    return away(error);
  } finally {
    closeRedis(redis);
    closeRedis(subscriber);
  }
}

/** No answer within the limit, whatever the reason. */
class Silence extends Error {
  override readonly message = 'it does not answer';
}

/** The facts about a server that cannot be used, by the error that says so. */
export function away(error: unknown) {
  return { reachable: false, why: messageOf(error), trouble: troubleOf(error) } as const;
}

async function answerFault(redis: Redis, limitMs: number): Promise<Error | undefined> {
  const silence = new Silence();
  if (!(await becomesReady(redis, limitMs))) return silence;
  const answered = redis.ping().then(
    () => undefined,
    (error: Error) => error,
  );
  return (await settlesWithin(answered, limitMs)) ? answered : silence;
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
    pubSubMs: await pubSubMs(redis, subscriber, name),
    // Last, since the refusal of a replica has the connection look for its primary anew.
    scriptFault: await scriptFault(redis, name),
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

async function scriptFault(redis: Redis, key: string): Promise<{ said: string; trouble: Trouble } | undefined> {
  try {
    const reply = await redis.eval(SCRIPT, 1, key);
    if (reply === '1') return undefined;
    throw new Error(`the script answered ${JSON.stringify(reply)}`);
  } catch (error) {
    return { said: messageOf(error), trouble: troubleOf(error) };
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
