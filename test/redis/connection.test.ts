/** Connections in their roles: a call fails at once while Redis is away, a worker waits, and all of them come back. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { retryDelayMs } from '../../src/redis/back-off.js';
import { type ConnectionRole, closeRedis, connectRedis, readyWithin } from '../../src/redis/connection.js';
import { createScript } from '../../src/redis/script.js';
import { weakRedis } from '../ops/weak-redis.js';
import { until, within } from '../support/gate.js';
import { addressOf } from '../support/places.js';
import { testRedis } from '../support/redis.js';
import { redisServer } from '../support/redis-server.js';

const NOWHERE = { socketPath: '/nonexistent/redis.sock' };

async function setup(role: ConnectionRole) {
  const server = await testRedis();
  const redis = connectRedis(addressOf(server), role);
  onTestFinished(async () => {
    closeRedis(redis);
    await server.stop();
  });
  return { server, redis };
}

function nowhere(role: ConnectionRole) {
  const redis = connectRedis(NOWHERE, role);
  onTestFinished(() => closeRedis(redis));
  return redis;
}

describe('reconnecting', () => {
  it('waits from 50 ms, doubles, and never waits much longer than two seconds', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 100, 1e6].map((times) => retryDelayMs(times, () => 0));
    expect(delays).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
    expect(retryDelayMs(1, () => 0.999)).toBeLessThanOrEqual(60);
    expect(retryDelayMs(9, () => 0.999)).toBeLessThanOrEqual(2_400);
  });
});

describe('a connection to nowhere', () => {
  it('fails a call at once instead of letting it wait', async () => {
    // In the words of a connection that is not there, not of one that was waited for.
    await expect(nowhere('call').get('x')).rejects.toThrow(/isn't writeable|ENOENT|closed/);
  });

  it('is not ready, and says so in time', async () => {
    const asked = readyWithin(nowhere('call'), 100);
    expect(await within(asked, { what: 'the word on it' })).toBe(false);
  });

  it('reports each failure to its listener', async () => {
    const errors: Error[] = [];
    const redis = connectRedis(NOWHERE, 'work', { onError: (error) => errors.push(error) });
    onTestFinished(() => closeRedis(redis));
    await until(
      () => errors.length,
      (count) => count >= 2,
      { what: 'two failures' },
    );
  });
});

describe('a process that stands still while it connects', () => {
  it('does not take that time for the server’s', async () => {
    const { redis } = await setup('call');
    const asked = readyWithin(redis, 500);
    const untilMs = performance.now() + 1_500;
    // Standing still is what is tested, so it is done.
    while (performance.now() < untilMs);
    expect(await asked).toBe(true);
  });
});

describe('a connection to a database that the server refuses', () => {
  it.each(['call', 'work', 'subscribe'] as const)('as %s never works in another one', async (role) => {
    const { host } = await weakRedis({ databases: '2' });
    const errors: string[] = [];
    const redis = connectRedis({ url: `redis://${host}/2` }, role, { onError: ({ message }) => errors.push(message) });
    onTestFinished(() => closeRedis(redis));
    await until(
      () => errors,
      (told) => told.includes('ERR DB index is out of range'),
      { what: 'the refusal' },
    );
    expect(await readyWithin(redis, 500)).toBe(false);
    const known = connectRedis({ url: `redis://${host}/1` }, role);
    onTestFinished(() => closeRedis(known));
    expect(await readyWithin(known, 20_000)).toBe(true);
  });
});

describe('a connection that loses its server', () => {
  it.each(['call', 'work'] as const)('as %s serves again after a restart', async (role) => {
    const { server, redis } = await setup(role);
    expect(await readyWithin(redis, 20_000)).toBe(true);
    await redis.set('x', '1');
    if (!server.killable) return;
    await server.restart();
    await until(
      () => redis.get('x').catch(String),
      (seen) => seen === '1',
      { what: 'the value' },
    );
  });

  it('as work lets a command wait for the server’s return', async ({ skip }) => {
    const { server, redis } = await setup('work');
    if (!server.killable) skip('REDIS_URL names a server this test does not own');
    await redis.set('x', '1');
    await server.kill9();
    const waiting = redis.get('x');
    await server.restart();
    expect(await within(waiting, { what: 'the answer' })).toBe('1');
  });

  it('as call fails a command at once while the server is away', async ({ skip }) => {
    const { server, redis } = await setup('call');
    if (!server.killable) skip('REDIS_URL names a server this test does not own');
    await readyWithin(redis, 20_000);
    await server.kill9();
    // In the words of a connection that is lost, not of one that was waited for.
    await expect(redis.get('x')).rejects.toThrow(/isn't writeable|ENOENT|closed/);
  });
});

describe('a connection whose server keeps it and says nothing', () => {
  it('is given up, so that another server may be found, and serves again', async () => {
    const server = await redisServer();
    const errors: string[] = [];
    const redis = connectRedis({ url: `redis://${server.host}` }, 'call', {
      onError: ({ message }) => errors.push(message),
    });
    onTestFinished(async () => {
      closeRedis(redis);
      await server.stop();
    });
    expect(await readyWithin(redis, 20_000)).toBe(true);
    await server.kill('SIGSTOP');
    const asked = redis.get('x').catch(String);
    await until(
      () => errors,
      (seen) => seen.some((message) => message.includes('Socket timeout')),
      { what: 'the connection to be given up' },
    );
    expect(await asked).toContain('timed out');
    await server.kill('SIGCONT');
    await until(
      () => redis.ping().catch(String),
      (said) => said === 'PONG',
      { what: 'the connection to serve' },
    );
  });
});

describe('a script', () => {
  it('runs although the server has forgotten it', async () => {
    const { redis } = await setup('work');
    const script = createScript("return {KEYS[1], ARGV[1], '7'}");
    expect(await script(redis, ['k'], ['a'])).toEqual(['k', 'a', '7']);
    await redis.script('FLUSH');
    expect(await script(redis, ['k'], ['a'])).toEqual(['k', 'a', '7']);
  });

  it('that fails rejects with the server’s own words', async () => {
    const { redis } = await setup('work');
    await expect(createScript("return redis.call('NOSUCH')")(redis, [], [])).rejects.toThrow(/NOSUCH|Unknown/i);
  });
});

describe('what is asked in one turn of the event loop', () => {
  it('goes out when the turn is over, in the order in which it was asked', async () => {
    const { redis } = await setup('work');
    expect(await readyWithin(redis, 20_000)).toBe(true);
    const writtenBefore = redis.stream.bytesWritten;
    const asked = [redis.set('gathered', 'one'), redis.append('gathered', ' two'), redis.get('gathered')];
    expect(redis.stream.writableLength).toBeGreaterThan(0);
    expect(redis.stream.bytesWritten - redis.stream.writableLength).toBe(writtenBefore);
    expect(await Promise.all(asked)).toEqual(['OK', 7, 'one two']);
  });

  it('is still asked after the server was restarted meanwhile', async () => {
    const { server, redis } = await setup('work');
    expect(await readyWithin(redis, 20_000)).toBe(true);
    await server.restart();
    const asked = [redis.set('gathered', 'again'), redis.get('gathered')];
    expect(await within(Promise.all(asked), { what: 'both replies' })).toEqual(['OK', 'again']);
  });
});
