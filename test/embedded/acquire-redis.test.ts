import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { acquireRedis } from '../../src/embedded/acquire-redis.js';
import { askRedis, fetchOnce, freshOptions, killIfAlive, nothingIsLeft, pidOf, runningFor, until } from './holders.js';

beforeAll(fetchOnce, 180_000);

async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-run-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A program that passes for a server until it is to serve. */
async function pathWithDeafServer(): Promise<string[]> {
  const folder = await freshFolder();
  const script = '#!/bin/sh\n[ "$1" = --version ] && echo "Redis server v=7.0.15 sha=0" && exit\nexec sleep 60\n';
  await writeFile(join(folder, 'redis-server'), script, { mode: 0o755 });
  return [folder];
}

test('the data folder and its sockets are for this user alone', async () => {
  const options = await freshOptions();
  const redis = await acquireRedis(options);
  expect((await stat(options.dataDir)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(options.dataDir)) {
    expect((await stat(join(options.dataDir, name))).mode & 0o077, name).toBe(0);
  }
  await redis.release();
  await redis.release();
  await nothingIsLeft(options.dataDir);
});

test('a data folder with a long path is served by a short socket, shared across temporary folders', async () => {
  const parent = await freshFolder();
  const dataDir = join(parent, 'a-long-name'.repeat(10), 'data');
  const runtimeDirs = [await freshFolder(), await freshFolder()];
  const [first, second] = await Promise.all(
    runtimeDirs.map(async (runtimeDir) => acquireRedis(await freshOptions({ dataDir, runtimeDir }))),
  );
  expect(first?.socketPath).not.toBe(second?.socketPath);
  await askRedis(first?.socketPath ?? '', 'SET', 'shared', 'yes');
  expect(await askRedis(second?.socketPath ?? '', 'GET', 'shared')).toBe('yes');
  await Promise.all([first?.release(), second?.release()]);
  await nothingIsLeft(dataDir);
  for (const folder of runtimeDirs) expect(await readdir(folder)).toEqual([]);
});

test('a folder that no short path leads to is refused', async () => {
  const long = join(await freshFolder(), 'long'.repeat(30));
  const acquiring = acquireRedis(await freshOptions({ dataDir: long, runtimeDir: long }));
  await expect(acquiring).rejects.toMatchObject({ code: 'invalid_configuration' });
});

test('a server that cannot read its data is reported with the end of its log', async () => {
  const options = await freshOptions();
  await mkdir(join(options.dataDir, 'appendonlydir'), { recursive: true, mode: 0o700 });
  await writeFile(join(options.dataDir, 'appendonlydir', 'appendonly.aof.manifest'), 'no manifest\n');
  const error = await acquireRedis(options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'redis_unavailable', message: expect.stringContaining('The end of its log') });
  expect(String(error)).toMatch(/manifest/i);
  await nothingIsLeft(options.dataDir);
});

test('a server that does not answer in time is given up and killed', async () => {
  const options = await freshOptions({ pathFolders: await pathWithDeafServer(), startLimitMs: 200 });
  const error = await acquireRedis(options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'redis_unavailable', message: expect.stringContaining('not ready in 200 ms') });
  await nothingIsLeft(options.dataDir);
});

test('an abort while the server starts rejects with its reason and leaves nothing', async () => {
  const abort = new AbortController();
  const options = await freshOptions({ pathFolders: await pathWithDeafServer(), signal: abort.signal });
  const failed = acquireRedis(options).catch((thrown: unknown) => thrown);
  await until('a server is being started', async () => {
    const seen = await runningFor(options.dataDir);
    return { done: seen.length > 1, seen };
  });
  abort.abort(new Error('enough'));
  expect(await failed).toEqual(new Error('enough'));
  await nothingIsLeft(options.dataDir);
});

test('an aborted signal starts nothing', async () => {
  const options = await freshOptions({ signal: AbortSignal.abort(new Error('enough')) });
  await expect(acquireRedis(options)).rejects.toThrow('enough');
  expect(await runningFor(options.dataDir)).toEqual([]);
});

test('a log of more than 5 MB is emptied at the next start', async () => {
  const options = await freshOptions();
  const log = join(options.dataDir, 'redis.log');
  await mkdir(options.dataDir, { mode: 0o700 });
  await writeFile(log, 'x'.repeat(5 * 1024 * 1024 + 1));
  const redis = await acquireRedis(options);
  expect((await stat(log)).size).toBeLessThan(100_000);
  await redis.release();
  await nothingIsLeft(options.dataDir);
});

test('a server that dies again and again is given up by its guardian, and the next one starts over', async () => {
  const options = await freshOptions();
  const redis = await acquireRedis(options);
  const guardian = await pidOf('guardian', options.dataDir);
  await until('another guardian has a server', async () => {
    const seen = await runningFor(options.dataDir);
    const [found] = seen.filter(({ role }) => role === 'guardian');
    const server = seen.find(({ role }) => role === 'redis');
    if (server && found?.pid === guardian) killIfAlive(server.pid);
    return { done: found !== undefined && found.pid !== guardian && server !== undefined, seen };
  });
  expect(await readFile(join(options.dataDir, 'redis.log'), 'utf8')).toContain('ended 9 times in a row');
  await redis.release();
  await nothingIsLeft(options.dataDir);
});
