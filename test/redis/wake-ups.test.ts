/** Wake-ups over a connection that fails: nobody is told to look again before later messages can be heard. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import type { Wake } from '../../src/core/ports.js';
import { closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { createKeys } from '../../src/redis/keys.js';
import { createWakeUps } from '../../src/redis/wake-ups.js';
import { createGate, until, within } from '../support/gate.js';
import { openHeldSocket } from '../support/held-socket.js';
import { testRedis } from '../support/redis.js';

async function setup() {
  const server = await testRedis();
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-held-'));
  const held = await openHeldSocket(server, folder);
  const address = { socketPath: held.path };
  const subscriber = connectRedis(address, 'subscribe');
  const direct = connectRedis(
    'path' in server.connection ? { socketPath: server.connection.path } : server.connection,
    'work',
  );
  onTestFinished(async () => {
    closeRedis(subscriber);
    closeRedis(direct);
    await held.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await readyWithin(subscriber, 20_000);
  const keys = createKeys(`test-${randomUUID()}`);
  return { held, direct, keys, wakeUps: createWakeUps(subscriber, keys) };
}

it('a listener is told to look again only once it is subscribed again', async () => {
  const { held, direct, keys, wakeUps } = await setup();
  const id = newJobId();
  const heard: Wake[] = [];
  const resync = createGate();
  await wakeUps.on(id, (wake) => {
    heard.push(wake);
    if (wake === 'resync') resync.open();
  });
  const caught = held.holdFrom('subscribe');
  held.cut();
  await within(caught, { what: 'the subscription to be sent again', seen: () => heard });
  // The subscription is under way but not in force: a message sent now would be lost, so it is too early to look.
  await direct.ping();
  expect(heard).toEqual([]);
  held.release();
  await within(resync.opened, { what: 'resync', seen: () => heard });
  await direct.publish(keys.wake(id), 'ended');
  await until(
    () => heard,
    () => heard.includes('ended'),
    { what: 'the end' },
  );
});

it('the channel is left with its last listener', async () => {
  const { direct, keys, wakeUps } = await setup();
  const id = newJobId();
  const stops = [await wakeUps.on(id, () => undefined), await wakeUps.on(id, () => undefined)];
  const subscribers = async () => (await direct.pubsub('NUMSUB', keys.wake(id)))[1];
  stops[0]?.();
  expect(await subscribers()).toBe(1);
  stops[1]?.();
  await until(subscribers, (seen) => seen === 0, { what: 'nobody subscribed' });
});
