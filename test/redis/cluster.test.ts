/** Connections to a cluster: found from any node, moved with their slot, and clear about why they cannot be made. */
import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createLogger } from '../../src/logger.js';
import { examine } from '../../src/operator.js';
import { parseRedisUrl, type RedisAddress } from '../../src/redis/address.js';
import { type ConnectionRole, closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { troubleOf } from '../../src/redis/troubles.js';
import { until } from '../support/gate.js';
import { type RedisServer, redisServer } from '../support/redis-server.js';

const TAG = '{ns}';
const SLOTS = Array.from({ length: 16_384 }, (_, slot) => slot);

let first: RedisServer;
let second: RedisServer;
let slot: number;
let ids: string[];
let clients: Redis[];

/** Two masters, of which the first has all slots. */
beforeAll(async () => {
  const settings = { appendonly: 'yes', 'cluster-enabled': 'yes', 'cluster-require-full-coverage': 'no' };
  [first, second] = await Promise.all([redisServer(settings), redisServer(settings)]);
  clients = [first.client(), second.client()];
  ids = await Promise.all(clients.map(async (client) => String(await client.call('CLUSTER', 'MYID'))));
  await clients[0]?.call('CLUSTER', 'ADDSLOTS', ...SLOTS);
  await clients[1]?.call('CLUSTER', 'SET-CONFIG-EPOCH', 2);
  await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', second.port);
  slot = Number(await clients[0]?.call('CLUSTER', 'KEYSLOT', TAG));
  await agreed(0);
  for (const client of clients) {
    await until(
      async () => String(await client.call('CLUSTER', 'INFO')),
      (info) => info.includes('cluster_state:ok'),
      { what: 'the cluster to be up' },
    );
  }
  return () => Promise.all([first.stop(), second.stop()]);
});

/** Until both nodes say that this one holds the slot. */
async function agreed(holder: number): Promise<void> {
  const port = [first, second][holder]?.port;
  const holders = async (client: Redis) => {
    const ranges = await client.cluster('SLOTS');
    return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1];
  };
  for (const client of clients) {
    await until(
      () => holders(client),
      (seen) => seen === port,
      { what: 'the cluster to agree' },
    );
  }
}

/**
 * What a node says of its slots goes on between the two orders. So its new holder has the highest epoch before, and is the last to be told:
 * else it believes what the other said last, and the other follows it as its replica.
 */
async function moveSlot(to: number): Promise<void> {
  const [giver, taker] = to === 0 ? [clients[1], clients[0]] : clients;
  await taker?.call('CLUSTER', 'BUMPEPOCH');
  for (const client of [giver, taker]) await client?.call('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to] ?? '');
  await agreed(to);
}

function addressOf(...hosts: string[]): RedisAddress {
  const address = parseRedisUrl(`redis+cluster://${hosts.join(',')}`, 'ns');
  if (!address) throw new Error('no address');
  return address;
}

function open(address: RedisAddress, role: ConnectionRole) {
  const errors: Error[] = [];
  const redis = connectRedis(address, role, { onError: (error) => errors.push(error) });
  onTestFinished(() => closeRedis(redis));
  return { redis, errors };
}

describe('a connection to a cluster', () => {
  it.each([
    ['a node that holds nothing', () => addressOf(second.host)],
    ['nodes of which one is gone', () => addressOf('127.0.0.1:1', second.host)],
  ])('is found from %s', async (_name, address) => {
    const { redis } = open(address(), 'call');
    expect(await readyWithin(redis, 20_000)).toBe(true);
    expect(await redis.set(`${TAG}:x`, '1')).toBe('OK');
    // A slot that holds keys could not be moved just so.
    await redis.del(`${TAG}:x`);
  });

  it('moves with its slot: work waits for that, a call is told and served at the next try', async () => {
    const [work, call, copy] = ['work', 'call', 'work'].map((role) =>
      open(addressOf(first.host), role as ConnectionRole),
    );
    if (!work || !call || !copy) throw new Error('unreachable');
    // What BullMQ makes for itself of a connection it is given.
    const duplicate = copy.redis.duplicate();
    duplicate.on('error', () => undefined);
    onTestFinished(() => closeRedis(duplicate));
    await Promise.all([work, call].map(({ redis }) => readyWithin(redis, 20_000)));
    await duplicate.ping();
    await moveSlot(1);
    expect(await work.redis.set(`${TAG}:moved`, 'yes')).toBe('OK');
    expect(await duplicate.get(`${TAG}:moved`)).toBe('yes');
    const refused = await call.redis.get(`${TAG}:moved`).catch((error: unknown) => error);
    expect(troubleOf(refused)).toMatchObject({ code: 'cluster_down' });
    await until(
      () => call.redis.get(`${TAG}:moved`).catch(String),
      (seen) => seen === 'yes',
      { what: 'the call to be served' },
    );
    await clients[1]?.del(`${TAG}:moved`);
    await moveSlot(0);
  });

  it('says that nobody is there, and ends when it is told to', async () => {
    const { redis, errors } = open(addressOf('127.0.0.1:1', '127.0.0.1:2'), 'work');
    await until(
      () => errors.length,
      (count) => count >= 2,
      { what: 'two failures' },
    );
    expect(errors[0]?.message).toContain('ECONNREFUSED');
    const ended = new Promise((resolve) => redis.once('end', resolve));
    closeRedis(redis);
    await ended;
  });
});

describe('the doctor', () => {
  const redisFinding = async (url: string, check: string) => {
    const config = loadConfig({ LONGHAUL_REDIS_URL: url, LONGHAUL_NAMESPACE: 'ns' });
    return (await examine(config, createLogger('test', 'silent'))).find((finding) => finding.check === check);
  };

  it('names a server that is no cluster', async () => {
    const plain = await redisServer();
    onTestFinished(() => plain.stop());
    expect(await redisFinding(`redis+cluster://${plain.host}`, 'Redis')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('Redis is no cluster'),
    });
  });

  it('names a primary that no Sentinel knows', async () => {
    const sentinel = await redisServer({}, { sentinel: true });
    onTestFinished(() => sentinel.stop());
    expect(await redisFinding(`redis+sentinel://${sentinel.host}/unknown`, 'Redis')).toMatchObject({
      status: 'fail',
      seen: expect.stringContaining('no Sentinel names a primary'),
      mend: expect.stringContaining('SENTINEL MASTERS'),
    });
  });

  it('names a cluster that is taken for one server', async () => {
    expect(await redisFinding(`redis://${second.host}`, 'Scripts')).toMatchObject({
      status: 'fail',
      mend: expect.stringContaining('redis+cluster://'),
    });
  });
});
