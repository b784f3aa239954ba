/** Gives a test a real, throwaway Redis: `REDIS_URL`, else a container where Docker answers, else a local server. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { findRedis } from '../../src/embedded/find-redis.js';
import { startRedis } from '../../src/embedded/redis-process.js';
import { callRedis } from '../../src/embedded/resp-client.js';
import { PATIENCE_MS } from './gate.js';

/** A Redis for one test file, with an append-only file and `noeviction`. */
export interface TestRedis {
  /** What ioredis takes as its first argument: a `redis://` URL, or the path of a unix socket. */
  url: string;
  /** The same as options. */
  connection: { path: string } | { url: string };
  /** The server's folder; undefined where the server is not a local child of this test. */
  dataDir: string | undefined;
  /** False for `REDIS_URL`: a server that others use is neither killed nor restarted, and both calls reject. */
  killable: boolean;
  /** Kills the server with SIGKILL, with all it acknowledged in its file, and resolves when it has ended. */
  kill9(): Promise<void>;
  /** Starts the server again (stopping it first if it runs) on the same address and data; resolves when it is ready. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. Harmless twice. */
  stop(): Promise<void>;
}

const PORT = 6379;
const IMAGE = 'redis:7-alpine';
// Never held back by a sync, see `writeOut`.
const SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'no', '--save', '', '--maxmemory-policy', 'noeviction'];

/** Starts or finds the Redis of this test; the caller stops it in `afterAll`. A killed test run leaves none behind. */
export async function testRedis(): Promise<TestRedis> {
  const given = process.env.REDIS_URL;
  if (given) return givenRedis(given);
  return (await dockerAnswers()) ? await containerRedis() : await localRedis();
}

/** The cache that all tests share, so that the distribution's package is fetched once per machine. */
export function testCacheDir(): string {
  return join(tmpdir(), `longhaul-test-cache-${userInfo().uid}`);
}

function givenRedis(url: string): TestRedis {
  const refuse = async () => {
    throw new Error(
      'REDIS_URL names a server this test does not own: unset it to run tests that kill or restart Redis',
    );
  };
  const stop = async () => {};
  return { url, connection: { url }, dataDir: undefined, killable: false, kill9: refuse, restart: refuse, stop };
}

async function localRedis(): Promise<TestRedis> {
  const pathFolders = (process.env.PATH ?? '').split(delimiter);
  const binary = await findRedis({ pathFolders, cacheDir: testCacheDir() });
  const dataDir = await mkdtemp(join(tmpdir(), 'longhaul-redis-'));
  const socketPath = join(dataDir, 'redis.sock');
  const start = () => startRedis({ binary: binary.path, libraryPath: binary.libraryPath, dataDir, socketPath });
  let server = await start();
  return {
    url: socketPath,
    connection: { path: socketPath },
    dataDir,
    killable: true,
    async kill9() {
      await writeOut(socketPath);
      await server.kill();
    },
    async restart() {
      await server.stop();
      server = await start();
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Has a server write what it acknowledged, now and from now on, and tells its pid: of the processes that are called like it, some only
 * tell their version. While `everysec` syncs its file, Redis holds back writes it
 * has acknowledged already, and a SIGKILL in these milliseconds loses them: tests kill it to see what the product does.
 */
export async function writeOut(socketPath: string): Promise<number> {
  const [, pid] = /^process_id:(\d+)/m.exec(await callRedis(socketPath, ['INFO', 'server'], PATIENCE_MS)) ?? [];
  if (pid === undefined) throw new Error('Redis did not tell its process id');
  await callRedis(socketPath, ['CONFIG', 'SET', 'appendfsync', 'no'], PATIENCE_MS);
  return Number(pid);
}

/** Only the container's start goes through testcontainers: its reaper removes the container of a killed test run. */
async function containerRedis(): Promise<TestRedis> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const host = await freePort();
  const container = await new GenericContainer(IMAGE)
    .withCommand(['redis-server', ...SETTINGS])
    .withExposedPorts({ container: PORT, host })
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  const url = `redis://${container.getHost()}:${host}`;
  return {
    url,
    connection: { url },
    dataDir: undefined,
    killable: true,
    kill9: () => docker(['kill', '--signal', 'KILL', container.getId()], 10_000),
    async restart() {
      await docker(['restart', container.getId()], 30_000);
      await docker(['exec', container.getId(), 'sh', '-c', 'until redis-cli ping | grep -q PONG; do :; done'], 30_000);
    },
    async stop() {
      await container.stop({ remove: true, removeVolumes: true });
    },
  };
}

async function dockerAnswers(): Promise<boolean> {
  return docker(['info'], 2000).then(
    () => true,
    () => false,
  );
}

function docker(args: string[], limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile('docker', args, { timeout: limitMs, killSignal: 'SIGKILL' }, (error) =>
      error ? reject(error) : resolve(),
    );
    child.stdin?.end();
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
