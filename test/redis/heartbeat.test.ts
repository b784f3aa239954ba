/** A server that answers is told from one that only keeps its connection, and from one whose asker stood still. */
import { expect, it, onTestFinished } from 'vitest';
import { closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { createHeartbeat } from '../../src/redis/heartbeat.js';
import { redisServer } from '../support/redis-server.js';

async function setup() {
  const server = await redisServer();
  const redis = connectRedis({ url: `redis://${server.host}` }, 'call');
  onTestFinished(async () => {
    closeRedis(redis);
    await server.stop();
  });
  expect(await readyWithin(redis, 10_000)).toBe(true);
  return { server, redis };
}

it('a stopped server does not answer, and a connection that is lost counts as an answer', async () => {
  const { server, redis } = await setup();
  expect(await createHeartbeat(redis)(5_000)).toBe(true);
  await server.kill('SIGSTOP');
  expect(await createHeartbeat(redis)(300)).toBe(false);
  await server.kill('SIGCONT');
  await server.kill();
  expect(await createHeartbeat(redis)(5_000)).toBe(true);
});

it('a process that stands still blames nobody for it', async () => {
  const { redis } = await setup();
  const answered = createHeartbeat(redis)(500);
  const until = performance.now() + 1_500;
  // Standing still is what is tested, so it is done.
  while (performance.now() < until);
  expect(await answered).toBe(true);
});
