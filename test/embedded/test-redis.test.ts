import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { callRedis } from '../../src/embedded/resp-client.js';
import { testRedis } from '../support/redis.js';
import { askRedis, fetchOnce } from './holders.js';

test('the Redis of a test keeps its data when it is killed and restarted, and leaves nothing when it is stopped', async (context) => {
  await fetchOnce();
  const redis = await testRedis();
  onTestFinished(() => redis.stop());
  if (!('path' in redis.connection)) return context.skip('this machine offers tests a Redis that is no local child');
  const { path } = redis.connection;
  await askRedis(path, 'SET', 'kept', 'yes');
  await redis.kill9();
  await expect(callRedis(path, ['PING'])).rejects.toThrow();
  await redis.restart();
  expect(await askRedis(path, 'GET', 'kept')).toBe('yes');
  await redis.stop();
  expect(existsSync(redis.dataDir ?? '')).toBe(false);
}, 180_000);
