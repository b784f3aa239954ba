/** The event log beside a newer version of the product, which writes events this one does not know, and on a bad line. */
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { LOG_START } from '../../src/core/events.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createEventLog } from '../../src/redis/event-log.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { seedOf } from '../support/job-seeds.js';
import { addressOf } from '../support/places.js';
import { testRedis } from '../support/redis.js';

it('events of a newer version are passed over, however many, and never mistaken for the end of the log', async () => {
  const server = await testRedis();
  const redis = connectRedis(addressOf(server), 'work');
  const subscriber = connectRedis(addressOf(server), 'subscribe');
  try {
    const keys = createKeys('test-newer');
    const log = createEventLog({ redis, keys, retention: DEFAULT_RETENTION }, subscriber);
    const { id } = seedOf();
    for (let index = 0; index < 7; index += 1) await redis.xadd(keys.events(id), '*', 'e', '{"type":"dream"}');
    await redis.xadd(keys.events(id), '*', 'e', '{"type":"outcome","state":"completed"}');
    const events = (await log.read(id, LOG_START, 2)).map((stored) => stored.event);
    expect(events).toEqual([{ type: 'outcome', state: 'completed' }]);
    const mixed = seedOf().id;
    for (const type of ['answer', 'dream', 'answer', 'answer'])
      await redis.xadd(keys.events(mixed), '*', 'e', JSON.stringify({ type, key: 'k' }));
    expect(await log.read(mixed, LOG_START, 2)).toHaveLength(2);
    expect(await log.read(mixed, LOG_START, 4)).toHaveLength(3);
  } finally {
    closeRedis(redis);
    closeRedis(subscriber);
    await server.stop();
  }
});

/** A connection whose every script is sent once more, as after a reply that was lost with the connection. */
function repeating(redis: Redis): Redis {
  const evalsha = async (...args: Parameters<Redis['evalsha']>) => {
    await redis.evalsha(...args);
    return redis.evalsha(...args);
  };
  return new Proxy(redis, { get: (target, name) => (name === 'evalsha' ? evalsha : Reflect.get(target, name)) });
}

it('events that are sent again after a lost reply are stored once', async () => {
  const server = await testRedis();
  const redis = connectRedis(addressOf(server), 'work');
  const subscriber = connectRedis(addressOf(server), 'subscribe');
  try {
    const context = { redis: repeating(redis), keys: createKeys('test-repeat'), retention: DEFAULT_RETENTION };
    const log = createEventLog(context, subscriber);
    const seed = seedOf();
    await createJobStore(context).begin(seed, { workerId: 'w', run: 'r' });
    const said = { type: 'log', level: 'info', logger: 'l', data: 'once' } as const;
    for (let times = 0; times < 2; times++) expect(await log.append(seed.id, 'r', [said, said])).toBe('written');
    const events = (await log.read(seed.id, LOG_START, 10)).map((stored) => stored.event);
    expect(events.filter(({ type }) => type === 'log')).toEqual([said, said, said, said]);
  } finally {
    closeRedis(redis);
    closeRedis(subscriber);
    await server.stop();
  }
});
