import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { acquireRedis } from '../../src/embedded/acquire-redis.js';
import { callRedis } from '../../src/embedded/resp-client.js';
import {
  askRedis,
  fetchOnce,
  freshOptions,
  type Holder,
  killIfAlive,
  nothingIsLeft,
  pidOf,
  runningFor,
  startHolder,
  until,
} from './holders.js';

beforeAll(fetchOnce, 180_000);

async function answersAgain(socketPath: string): Promise<void> {
  await until('Redis answers again', async () => {
    const seen = await callRedis(socketPath, ['PING']).catch((error: Error) => error.message);
    return { done: seen === 'PONG', seen };
  });
}

async function otherPid(role: 'redis' | 'guardian', dataDir: string, old: number): Promise<void> {
  await until(`there is another ${role} than ${old}`, async () => {
    const seen = (await runningFor(dataDir)).filter((running) => running.role === role);
    return { done: seen.length === 1 && seen[0]?.pid !== old, seen };
  });
}

describe('processes that share a data folder', () => {
  test('five that start at once share one server, and the last one out stops it', async () => {
    const options = await freshOptions();
    const holders = await Promise.all(Array.from({ length: 5 }, () => startHolder(options)));
    expect(new Set(holders.map(({ redis }) => redis.socketPath)).size).toBe(1);
    expect(holders.filter(({ redis }) => redis.source !== 'running')).toHaveLength(1);
    await pidOf('redis', options.dataDir);
    const [last, ...others] = holders;
    await Promise.all(others.map((holder) => holder.release()));
    expect(await askRedis(join(options.dataDir, 'redis.sock'), 'PING')).toBe('PONG');
    await last?.release();
    await nothingIsLeft(options.dataDir);
  });

  test('a process that says goodbye as the last one finds the server down when it has, whatever the grace', async () => {
    const options = await freshOptions({ graceMs: 60_000 });
    const redis = await acquireRedis(options);
    await redis.release();
    expect((await runningFor(options.dataDir)).filter(({ role }) => role === 'redis')).toEqual([]);
    // The guardian hangs up as it ends, and is gone a moment later.
    await nothingIsLeft(options.dataDir);
  });

  test('a server outlives a killed holder by the grace, so that its successor need not start one', async () => {
    const options = await freshOptions({ graceMs: 10_000 });
    const first = await startHolder(options);
    const redisPid = await pidOf('redis', options.dataDir);
    await first.kill('SIGKILL');
    const second = await acquireRedis(options);
    expect(second.source).toBe('running');
    expect(await pidOf('redis', options.dataDir)).toBe(redisPid);
    await second.release();
    await nothingIsLeft(options.dataDir);
  });

  test('data survives the end of every process', async () => {
    const options = await freshOptions();
    for (const round of ['1', '2', '3']) {
      const redis = await acquireRedis(options);
      expect(await askRedis(redis.socketPath, 'INCR', 'rounds')).toBe(round);
      await redis.release();
    }
    await nothingIsLeft(options.dataDir);
  });

  test('the server keeps what durable jobs need', async () => {
    const redis = await acquireRedis(await freshOptions());
    const info = await askRedis(redis.socketPath, 'INFO');
    expect(info).toContain('aof_enabled:1');
    expect(info).toContain('maxmemory_policy:noeviction');
    expect(info).toContain('tcp_port:0');
    await redis.release();
  });
});

describe('processes that end without a goodbye', () => {
  const ends: Record<string, (holder: Holder) => Promise<void>> = {
    'SIGINT, as by Ctrl-C': (holder) => holder.kill('SIGINT'),
    SIGTERM: (holder) => holder.kill('SIGTERM'),
    SIGKILL: (holder) => holder.kill('SIGKILL'),
    'the end of stdin': (holder) => holder.closeInput(),
  };

  test.each(Object.keys(ends))('nothing is left after %s', async (way) => {
    const options = await freshOptions();
    const holder = await startHolder(options);
    await ends[way]?.(holder);
    await nothingIsLeft(options.dataDir);
  });

  test.each(['kernel', 'watchdog'] as const)(
    'nothing is left when all and the guardian are killed (tether: %s)',
    async (tether) => {
      const options = await freshOptions({ tether });
      const holders = await Promise.all([startHolder(options), startHolder(options)]);
      const guardian = await pidOf('guardian', options.dataDir);
      // With each its own may end before their turn comes, which is what is tested.
      for (const pid of [guardian, ...holders.map((holder) => holder.pid)]) killIfAlive(pid);
      await until('no process is left', async () => {
        const seen = await runningFor(options.dataDir);
        return { done: seen.length === 0, seen };
      });
    },
  );

  test('what a killed guardian left in the folder does not disturb the next start', async () => {
    const options = await freshOptions();
    const holder = await startHolder(options);
    await askRedis(holder.redis.socketPath, 'SET', 'kept', 'yes');
    for (const { pid } of await runningFor(options.dataDir)) killIfAlive(pid);
    await holder.ended;
    const redis = await acquireRedis(options);
    expect(await askRedis(redis.socketPath, 'GET', 'kept')).toBe('yes');
    await redis.release();
    await nothingIsLeft(options.dataDir);
  });
});

describe('a server or guardian that is killed', () => {
  test('Redis is started again on the same socket with its data', async () => {
    const options = await freshOptions();
    const redis = await acquireRedis(options);
    await askRedis(redis.socketPath, 'SET', 'kept', 'yes');
    const pid = await pidOf('redis', options.dataDir);
    process.kill(pid, 'SIGKILL');
    await otherPid('redis', options.dataDir, pid);
    await answersAgain(redis.socketPath);
    expect(await askRedis(redis.socketPath, 'GET', 'kept')).toBe('yes');
    await redis.release();
    await nothingIsLeft(options.dataDir);
  });

  test('a service manager that ends all processes at once leaves holders their server until they are done', async () => {
    const options = await freshOptions();
    const redis = await acquireRedis(options);
    const [guardian, server] = [await pidOf('guardian', options.dataDir), await pidOf('redis', options.dataDir)];
    for (const pid of [guardian, server]) process.kill(pid, 'SIGTERM');
    await otherPid('redis', options.dataDir, server);
    await answersAgain(redis.socketPath);
    expect(await pidOf('guardian', options.dataDir)).toBe(guardian);
    await redis.release();
    await nothingIsLeft(options.dataDir);
  });

  test.each(['kernel', 'watchdog'] as const)(
    'a killed guardian is replaced by its holders (tether: %s)',
    async (tether) => {
      const options = await freshOptions({ tether });
      const others = await Promise.all([startHolder(options), startHolder(options)]);
      const redis = await acquireRedis(options);
      await askRedis(redis.socketPath, 'SET', 'kept', 'yes');
      const [guardian, server] = [await pidOf('guardian', options.dataDir), await pidOf('redis', options.dataDir)];
      process.kill(guardian, 'SIGKILL');
      await otherPid('guardian', options.dataDir, guardian);
      await otherPid('redis', options.dataDir, server);
      await answersAgain(redis.socketPath);
      expect(await askRedis(redis.socketPath, 'GET', 'kept')).toBe('yes');
      await Promise.all([redis.release(), ...others.map((holder) => holder.release())]);
      await nothingIsLeft(options.dataDir);
    },
  );

  test.each([
    ['', []],
    [', also one that has removed its pid file and its socket already', ['redis.pid', 'redis.sock']],
  ])('an orphan that lost guardian and tether is stopped before its data is opened again%s', async (_, removed) => {
    const options = await freshOptions({ tether: 'watchdog' });
    const holder = await startHolder(options);
    await askRedis(holder.redis.socketPath, 'SET', 'kept', 'yes');
    const others = (await runningFor(options.dataDir)).filter(({ role }) => role !== 'redis');
    // At one moment for all of them: whoever saw another one die would see to the server.
    for (const { pid } of others) process.kill(pid, 'SIGSTOP');
    for (const { pid } of others) killIfAlive(pid);
    const orphan = await pidOf('redis', options.dataDir);
    for (const name of removed) await rm(join(options.dataDir, name));
    const redis = await acquireRedis(options);
    expect(await pidOf('redis', options.dataDir)).not.toBe(orphan);
    expect(await askRedis(redis.socketPath, 'GET', 'kept')).toBe('yes');
    expect(await readFile(join(options.dataDir, 'redis.log'), 'utf8')).toContain(`stopped the server ${orphan}`);
    await redis.release();
    await nothingIsLeft(options.dataDir);
  });
});
