/** The configuration: every setting has a default that is valid, and all faults are told at once. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, SETTINGS } from '../src/config.js';

/** What the message says of a configuration that must be refused. */
function faultsOf(env: Record<string, string>, options: Record<string, string | undefined> = {}): string {
  try {
    loadConfig(env, options);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_configuration', retryable: false });
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('the configuration was accepted');
}

describe('a configuration', () => {
  it('that sets nothing is valid', () => {
    expect(loadConfig({})).toMatchObject({
      redisUrl: undefined,
      namespace: 'longhaul',
      logLevel: 'info',
      roots: [],
      workers: 1,
      concurrency: { analysis: 2, review: 10 },
      graceMs: 10_000,
      resultTtlMs: 86_400_000,
    });
  });

  it('that sets a name to nothing gets its default', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('gives paths as absolute ones and times in milliseconds', () => {
    const config = loadConfig({ LONGHAUL_ROOTS: 'code:/srv/x', LONGHAUL_GRACE_SECONDS: '3' });
    expect(config.roots).toEqual([join(process.cwd(), 'code'), '/srv/x']);
    expect(config.graceMs).toBe(3_000);
    expect(loadConfig({ HOME: homedir() }).dataDir).toMatch(/^\//);
  });

  it('from options wins over the environment, and an option not given does not', () => {
    const env = { LONGHAUL_WORKERS: '3', LONGHAUL_NAMESPACE: 'env' };
    const config = loadConfig(env, { LONGHAUL_WORKERS: '5', LONGHAUL_NAMESPACE: undefined });
    expect(config).toMatchObject({ workers: 5, namespace: 'env' });
  });

  it.each([
    ['4', { analysis: 4, review: 4 }],
    ['review=50', { analysis: 2, review: 50 }],
    ['analysis=1, review=7', { analysis: 1, review: 7 }],
  ])('takes %s slots per queue', (text, concurrency) => {
    expect(loadConfig({ LONGHAUL_CONCURRENCY: text }).concurrency).toEqual(concurrency);
  });

  it('serves all queues unless some are named', () => {
    expect(loadConfig({}).queues).toEqual(['analysis', 'review']);
    expect(loadConfig({ LONGHAUL_QUEUES: ' review' }).queues).toEqual(['review']);
    expect(faultsOf({ LONGHAUL_QUEUES: 'review,scan' })).toContain('expected one or more of analysis, review');
  });

  it.each([
    'redis://host:6379/2',
    'rediss://user:pass@host',
    'unix:///run/redis.sock',
    'redis+sentinel://a:1,b:2/main',
    'rediss+cluster://user:pass@a:1,b:2',
  ])('takes the Redis %s', (url) => {
    expect(loadConfig({ LONGHAUL_REDIS_URL: url }).redisUrl).toBe(url);
  });

  it('keeps what else opens Redis apart from its URL', () => {
    const { redisEntry } = loadConfig({ LONGHAUL_REDIS_PASSWORD: 'p', LONGHAUL_REDIS_TLS_CA: 'ca.pem' });
    expect(redisEntry).toEqual({
      login: { password: 'p' },
      sentinelLogin: undefined,
      tlsFiles: { ca: join(process.cwd(), 'ca.pem') },
    });
  });
});

describe('a wrong configuration', () => {
  it('names every fault in one message, with what came and what was expected', () => {
    const message = faultsOf({
      LONGHAUL_WORKERS: 'many',
      LONGHAUL_NAMESPACE: 'a b',
      LONGHAUL_GRACE_SECONDS: '1.5',
      LONGHAUL_LOG_LEVEL: 'loud',
      LONGHAUL_CONCURRENCY: 'scan=2',
      LONGHAUL_REDIS_URL: 'host:6379',
    });
    expect(message).toContain('6 faults');
    expect(message).toContain('LONGHAUL_WORKERS: expected a whole number from 0 to 64 (got "many")');
    expect(message).toContain('LONGHAUL_NAMESPACE: expected letters, digits and - (got "a b")');
    expect(message).toContain('LONGHAUL_GRACE_SECONDS: expected a whole number from 0 to 3600 (got "1.5")');
    expect(message).toMatch(/LONGHAUL_LOG_LEVEL: .*"info".*\(got "loud"\)/);
    expect(message).toContain('LONGHAUL_CONCURRENCY: expected a number from 1 to 10000');
    expect(message).toContain('LONGHAUL_REDIS_URL: expected redis://');
  });

  it('with one fault says so', () => {
    expect(faultsOf({ LONGHAUL_WORKERS: '-1' })).toMatch(/^The configuration has one fault:/);
  });

  it('names an unknown setting with the nearest known one', () => {
    expect(faultsOf({ LONGHAUL_WORKER: '1' })).toContain(
      'LONGHAUL_WORKER: unknown setting (did you mean LONGHAUL_WORKERS?)',
    );
  });

  it('never shows the value of a URL, which may hold a password', () => {
    expect(faultsOf({ LONGHAUL_REDIS_URL: 'http://user:hunter2@host' })).not.toContain('hunter2');
  });

  it('leaves the environment of others alone', () => {
    expect(() => loadConfig({ PATH: '/bin', REDIS_URL: 'nonsense', longhaul_x: '1' })).not.toThrow();
  });

  it.each(['0', '10001', 'analysis=0', 'analysis', 'analysis=2;review=3', '2,3', 'review=x'])(
    'of slots (%s) is refused',
    (text) => {
      expect(faultsOf({ LONGHAUL_CONCURRENCY: text })).toContain('LONGHAUL_CONCURRENCY');
    },
  );
});
