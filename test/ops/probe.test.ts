import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { judgeUse } from '../../src/ops/doctor.js';
import type { RedisFacts } from '../../src/ops/doctor-facts.js';
import { probeRedis } from '../../src/redis/probe.js';
import { weakRedis } from './weak-redis.js';

const OPTIONS = { prefix: '{probe-test}', limitMs: 20_000 };

async function facts(url: string): Promise<RedisFacts> {
  const found = await probeRedis({ url }, OPTIONS);
  if (!found.reachable) throw new Error(`not reachable: ${found.why}`);
  return found;
}

describe('a probe of a real Redis', () => {
  it('tells its settings and that everything the queue needs works', async () => {
    const { host } = await weakRedis({ appendonly: 'no', maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
    const found = await facts(`redis://${host}`);
    expect(found).toMatchObject({
      role: 'master',
      evictionPolicy: 'allkeys-lru',
      aofEnabled: false,
      fsync: 'everysec',
      maxMemoryBytes: 100 * 1024 * 1024,
      scriptFault: undefined,
    });
    expect(found.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(found.pingMedianMs).toBeGreaterThan(0);
    expect(found.pingWorstMs).toBeGreaterThanOrEqual(found.pingMedianMs);
    expect(found.pubSubMs).toBeGreaterThan(0);
    // The same clock, read over a connection that a busy machine may hold up.
    expect(Math.abs(found.clockAheadMs ?? Number.NaN)).toBeLessThan(10_000);
  });

  it('tells what it can where CONFIG is forbidden', async () => {
    const { host } = await weakRedis({ user: 'default on nopass ~* &* +@all -config', appendonly: 'yes' });
    expect(await facts(`redis://${host}`)).toMatchObject({
      fsync: undefined,
      evictionPolicy: 'noeviction',
      aofEnabled: true,
      scriptFault: undefined,
    });
  });

  it('tells that scripts and pub/sub are forbidden', async () => {
    const { host } = await weakRedis({ user: 'default on nopass ~* +@all -@scripting -subscribe' });
    const found = await facts(`redis://${host}`);
    expect(found.scriptFault).toMatchObject({
      said: expect.stringContaining('NOPERM'),
      trouble: { code: 'not_permitted' },
    });
    expect(found.pubSubMs).toBeUndefined();
  });

  it('tells why a login is refused', async () => {
    const { host } = await weakRedis({ requirepass: 'right' });
    const wrong = await probeRedis({ url: `redis://:wrong@${host}` }, OPTIONS);
    expect(wrong).toMatchObject({ reachable: false, why: expect.stringContaining('WRONGPASS') });
    const none = await probeRedis({ url: `redis://${host}` }, OPTIONS);
    expect(none).toMatchObject({ reachable: false, why: expect.stringContaining('NOAUTH') });
    expect(await facts(`redis://:right@${host}`)).toMatchObject({ reachable: true });
  });

  it('tells that nobody listens', async () => {
    const found = await probeRedis({ url: 'redis://127.0.0.1:1' }, { ...OPTIONS, limitMs: 1_500 });
    expect(found).toMatchObject({ reachable: false, why: expect.stringContaining('ECONNREFUSED') });
  });

  it('tells that the server takes no more connections, or at least that it hangs up', async () => {
    const { host } = await weakRedis({ maxclients: '1' });
    const holder = new Redis(`redis://${host}`);
    onTestFinished(() => holder.disconnect());
    await holder.ping();
    const found = await probeRedis({ url: `redis://${host}` }, { ...OPTIONS, limitMs: 1_500 });
    // Whoever is turned away may be gone before it has read why.
    expect(found).toMatchObject({ reachable: false, trouble: { code: expect.stringMatching(/too_many|hung_up/) } });
  });

  it('tells a read-only replica, and finds no further fault in it', async () => {
    const { host } = await weakRedis({ appendonly: 'yes', replicaof: '127.0.0.1 1' });
    const found = await facts(`redis://${host}`);
    expect(found).toMatchObject({ role: 'slave', scriptFault: { trouble: { code: 'read_only' } } });
    expect(found.pubSubMs).toBeGreaterThan(0);
  });

  it('tells a version that is too old, which every front end calls not ready', async () => {
    const { host } = await weakRedis({ appendonly: 'yes' });
    const found = await facts(`redis://${await agedRedis(host)}`);
    expect(found.version).toMatch(/^6\.0\.9+$/);
    expect(judgeUse(found, false)).toContainEqual({
      check: 'Redis',
      status: 'fail',
      seen: expect.stringContaining('too old'),
      mend: 'Install Redis 6.2 or newer, or any Valkey',
    });
  });
});

/** A real Redis that says it is an older one: nothing else about it is changed. */
async function agedRedis(host: string): Promise<string> {
  const [, port] = host.split(':');
  const server = createServer((client) => {
    const real = connect(Number(port), '127.0.0.1');
    // As long as the true one, since the length of the whole answer is said before it.
    const aged = (_all: string, version: string) => `redis_version:${'6.0.'.padEnd(version.length, '9')}`;
    const age = new Transform({
      transform: (chunk: Buffer, _encoding, done) =>
        done(null, Buffer.from(chunk.toString('latin1').replace(/redis_version:(\d\S+)/, aged), 'latin1')),
    });
    for (const end of [client, real]) end.on('error', () => undefined);
    client.pipe(real).pipe(age).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
