/** The event log beside a newer version of the product, which writes events this one does not know. */
import { expect, it } from 'vitest';
import { LOG_START } from '../../src/core/events.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createEventLog } from '../../src/redis/event-log.js';
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
  } finally {
    closeRedis(redis);
    closeRedis(subscriber);
    await server.stop();
  }
});
