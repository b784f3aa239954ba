import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openBackend } from '../src/backend.js';
import { loadConfig } from '../src/config.js';
import { createLogger } from '../src/logger.js';
import { lookAt } from '../src/status.js';
import { addressOf } from './support/places.js';
import { type TestRedis, testRedis } from './support/redis.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

it('a look at an installation tells what is there, and a Redis that is gone as one that is unavailable', async () => {
  const config = loadConfig({ LONGHAUL_NAMESPACE: `look-${process.pid}`, LONGHAUL_LOG_LEVEL: 'silent' });
  const address = addressOf(server);
  const backend = openBackend(config, createLogger('test', 'silent'), { address, role: 'call' });
  onTestFinished(() => backend.close());
  expect(await backend.ready(5_000)).toBe(true);
  const look = await lookAt(backend, config, address);
  expect(look).toMatchObject({ workers: [], jobs: [], sessions: 0, queues: [{ waiting: 0 }, { waiting: 0 }] });
  expect(look.minutes).toHaveLength(60);

  // As a server that is asked and never answers: the bare connection rejects with words of its own.
  const silent = { ...backend, roundTripMs: () => Promise.reject(new Error('Command timed out')) };
  await expect(lookAt(silent, config, address)).rejects.toMatchObject({ code: 'queue_unavailable' });
});
