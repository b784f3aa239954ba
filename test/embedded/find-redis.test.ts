import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findRedis } from '../../src/embedded/find-redis.js';

const FETCH_LIMIT_MS = 180_000;
const hasApt = existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg');

async function setup() {
  const parent = await mkdtemp(join(tmpdir(), 'longhaul-find-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const logged: string[] = [];
  /** A folder with one program that prints a line. */
  const folderWith = async (program: string, line: string, mode = 0o755) => {
    const folder = await mkdtemp(join(parent, 'bin-'));
    await writeFile(join(folder, program), `#!/bin/sh\necho '${line}'\n`, { mode });
    return folder;
  };
  const options = {
    cacheDir: join(parent, 'cache'),
    allowFetch: false,
    onLog: (level: string, message: string) => logged.push(`${level}: ${message}`),
  };
  return { options, folderWith, logged };
}

test('the first server on PATH that is new enough is taken, and older ones are passed over aloud', async () => {
  const { options, folderWith, logged } = await setup();
  const old = await folderWith('redis-server', 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1');
  const fit = await folderWith('redis-server', 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1');
  const later = await folderWith('redis-server', 'Redis server v=8.0.0 sha=00000000:0 malloc=jemalloc-5.2.1');
  const found = await findRedis({ ...options, pathFolders: [old, fit, later] });
  expect(found).toMatchObject({ path: join(fit, 'redis-server'), version: '6.2.14', source: 'path' });
  expect(logged).toEqual([expect.stringContaining('Redis 6.0.16 is older than 6.2')]);
});

test('any Valkey is taken', async () => {
  const { options, folderWith } = await setup();
  const folder = await folderWith('valkey-server', 'Valkey server v=7.2.8 sha=00000000:0 malloc=jemalloc-5.3.0');
  const found = await findRedis({ ...options, pathFolders: ['relative', '/nowhere', folder] });
  expect(found).toMatchObject({ path: join(folder, 'valkey-server'), version: '7.2.8' });
});

test('what does not run or is no Redis is not taken', async () => {
  const { options, folderWith, logged } = await setup();
  const notExecutable = await folderWith('redis-server', 'Redis server v=7.0.15 sha=0', 0o644);
  const other = await folderWith('redis-server', 'something else');
  const finding = findRedis({ ...options, pathFolders: [notExecutable, other] });
  await expect(finding).rejects.toMatchObject({ code: 'redis_not_found' });
  expect(logged).toEqual([expect.stringContaining('does not say that it is a Redis or Valkey server')]);
});

test('where there is none, the error says what to install on each platform', async () => {
  const { options } = await setup();
  const error = await findRedis({ ...options, pathFolders: [] }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'redis_not_found', retryable: false });
  for (const hint of ['apt-get install', 'dnf install', 'apk add', 'brew install', 'LONGHAUL_REDIS_URL']) {
    expect(String(error)).toContain(hint);
  }
});

test.runIf(hasApt)(
  'the package of the distribution is fetched without root, by several at once, and stays in the cache',
  async () => {
    const { options, logged } = await setup();
    const fetching = { ...options, allowFetch: true, pathFolders: [] };
    const abandoned = join(options.cacheDir, 'redis', '.fetch-999999999-abcdef');
    await mkdir(abandoned, { recursive: true, mode: 0o700 });
    const found = await Promise.all([findRedis(fetching), findRedis(fetching)]);
    expect(found.map(({ source }) => source)).toContain('package');
    expect(logged).toContainEqual(expect.stringMatching(/^warn: No Redis server is installed; fetching/));
    expect(await readdir(join(options.cacheDir, 'redis'))).toHaveLength(1);
    expect(await findRedis({ ...fetching, allowFetch: false })).toMatchObject({ source: 'cache' });
  },
  FETCH_LIMIT_MS,
);

test.runIf(hasApt)('an abort ends a download and leaves nothing of it', async () => {
  const { options } = await setup();
  const abort = new AbortController();
  const onLog = () => queueMicrotask(() => abort.abort(new Error('enough')));
  const finding = findRedis({ ...options, allowFetch: true, pathFolders: [], signal: abort.signal, onLog });
  await expect(finding).rejects.toThrow('enough');
  expect(await readdir(join(options.cacheDir, 'redis')).catch(() => [])).toEqual([]);
});
