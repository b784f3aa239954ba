/** The backend of a front end around its end. */
import { expect, it } from 'vitest';
import { loadConfig } from '../src/config.js';
import { createLazyBackend } from '../src/lazy-backend.js';
import { createLogger } from '../src/logger.js';

it('a stopped backend opens nothing any more, and says why', async () => {
  const config = loadConfig({ LONGHAUL_REDIS_URL: 'redis://127.0.0.1:1' });
  const backend = createLazyBackend(config, createLogger('test', 'silent'));
  await backend.stop(0);
  await expect(backend.get()).rejects.toMatchObject({
    code: 'queue_unavailable',
    message: expect.stringContaining('stopping'),
  });
});

it('whoever asks again and again opens nothing: only a call tries again what failed', async () => {
  const backend = createLazyBackend(
    loadConfig({ LONGHAUL_DATA_DIR: '/dev/null/data' }),
    createLogger('test', 'silent'),
  );
  await expect(backend.getIfOpen()).rejects.toThrow('could not be opened yet');
  const failure = await backend.get().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.not.stringContaining('could not be opened yet') });
  await expect(backend.getIfOpen()).rejects.toThrow('could not be opened yet');
  await backend.stop(0);
});
