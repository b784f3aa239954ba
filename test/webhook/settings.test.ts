import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { workerEnvironment } from '../../src/http-access.js';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(24, 8).toString('base64');
const URL_OF = 'https://hooks.example/x?y=1';

describe('the settings of the webhook', () => {
  it('ask for nothing, and give none', () => {
    expect(loadConfig({ LONGHAUL_WEBHOOK_SECRET: SECRET }).webhook).toBeUndefined();
  });

  it('give where to, by which keys, and how careful to be', () => {
    const { webhook } = loadConfig({
      LONGHAUL_WEBHOOK_URL: URL_OF,
      LONGHAUL_WEBHOOK_SECRET: `whsec_${SECRET}, ${OTHER}`,
    });
    expect(webhook).toEqual({
      url: new URL(URL_OF),
      keys: [Buffer.alloc(32, 7), Buffer.alloc(24, 8)],
      anyAddress: false,
      timeoutMs: 10_000,
    });
  });

  it.each([
    [{ LONGHAUL_WEBHOOK_URL: URL_OF }, 'LONGHAUL_WEBHOOK_URL needs LONGHAUL_WEBHOOK_SECRET'],
    [{ LONGHAUL_WEBHOOK_URL: 'https://ann:s3cret@hooks.example' }, 'without a user or password'],
    [{ LONGHAUL_WEBHOOK_URL: 'ftp://hooks.example' }, 'expected an https:// or http:// URL'],
    [{ LONGHAUL_WEBHOOK_URL: URL_OF, LONGHAUL_WEBHOOK_SECRET: 's3cret' }, 'base64 of at least 24 bytes'],
    [{ LONGHAUL_WEBHOOK_URL: URL_OF, LONGHAUL_WEBHOOK_SECRET: `${SECRET},` }, 'base64 of at least 24 bytes'],
    [
      { LONGHAUL_WEBHOOK_URL: 'http://[::1]/x', LONGHAUL_WEBHOOK_SECRET: SECRET },
      '::1 is not an address of the public',
    ],
    [{ LONGHAUL_WEBHOOK_URL: 'http://10.0.0.7', LONGHAUL_WEBHOOK_SECRET: SECRET }, 'LONGHAUL_WEBHOOK_ADDRESSES=any'],
  ])('refuse %j, and repeat no secret', (env, words) => {
    const load = () => loadConfig(env);
    expect(load).toThrow(words);
    expect(load).not.toThrow(/s3cret/);
  });

  it('are kept from workers, which run tools of others', () => {
    const env = { LONGHAUL_WEBHOOK_URL: URL_OF, LONGHAUL_WEBHOOK_SECRET: SECRET, LONGHAUL_WORKERS: '2' };
    expect(workerEnvironment(env)).toEqual({ LONGHAUL_WORKERS: '2' });
  });
});
