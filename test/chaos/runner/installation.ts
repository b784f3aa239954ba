/** The installation a chaos run disturbs: its folder, its Redis and its processes, each started again whenever it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause, settlesWithin } from '../../../src/core/lifecycle.js';
import { findRedis } from '../../../src/embedded/find-redis.js';
import { type RedisProcess, startRedis } from '../../../src/embedded/redis-process.js';
import { callRedis } from '../../../src/embedded/resp-client.js';
import { freePort } from '../../support/free-port.js';
import { send } from '../../support/http-wire.js';
import { PROGRAM } from '../../support/program.js';
import { testCacheDir } from '../../support/redis.js';

/** A process that is kept running. */
export interface Kept {
  readonly name: string;
  /** Of the process that runs now, if one does. */
  pid(): number | undefined;
  /** Milliseconds from its next death to its next start. */
  restartAfter(ms: number): void;
}

/** A front end and where it listens. */
export interface KeptFrontEnd extends Kept {
  readonly port: number;
}

/** The Redis of the run; it writes every command to its file before it answers. */
export interface KeptRedis {
  readonly socketPath: string;
  pid(): number | undefined;
  /** Kills it, waits so many milliseconds, and starts it again on its data, of which it tells first; rejects if it does not come up. */
  killFor(ms: number, onStart?: () => void): Promise<void>;
}

/** See `openInstallation`. */
export interface Installation {
  readonly folder: string;
  /** An allowed root of every front end. */
  readonly root: string;
  readonly namespace: string;
  readonly redis: KeptRedis;
  readonly frontEnds: readonly KeptFrontEnd[];
  /** Each watches over a worker of its own. */
  readonly supervisors: readonly Kept[];
  /** Workers that nobody beside them watches over. */
  readonly loneWorkers: readonly Kept[];
  /** Process ids of the workers that supervisors watch over. */
  supervisedWorkers(): Promise<number[]>;
  /** Process ids of the children of a process. */
  childrenOf(pid: number | undefined): Promise<number[]>;
  /** Starts all but Redis, and waits until the front ends listen. */
  start(): Promise<void>;
  /** Asks everything but Redis to stop; says what had to be killed. */
  stop(): Promise<string[]>;
  /** Stops Redis and removes the folder, unless that is to be kept. */
  dispose(keep?: boolean): Promise<void>;
}

const WORKER = join(dirname(PROGRAM), '..', 'workers', 'main.js');
const TOOLS = fileURLToPath(new URL('./chaos-tools.mjs', import.meta.url));
/** Files of one part of a scan: small, so that a small tree is scanned in parts. */
const PART_FILES = 100;
const LISTEN_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;

/** Opens the folder and starts Redis. */
export async function openInstallation(): Promise<Installation> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-chaos-')));
  const root = join(folder, 'root');
  for (const part of ['root', 'logs', 'redis', 'data', 'cache', 'tmp'])
    await mkdir(join(folder, part), { mode: 0o700 });
  const redis = await keepRedis(join(folder, 'redis'));
  const namespace = 'chaos';
  const env = environmentOf(folder, { namespace, socketPath: redis.socketPath });
  const keep = (name: string, args: readonly string[]) => keepProcess({ name, args, env, folder });
  const ports = [await freePort(), await freePort()];
  const frontEnds = ports.map((port, index) => {
    const flags = ['--port', String(port), '--workers', '0', '--root', root];
    return { port, ...keep(`front-end-${index + 1}`, [PROGRAM, 'http', ...flags]) };
  });
  const supervisors = [1, 2].map((n) => keep(`supervisor-${n}`, [PROGRAM, 'worker', '--workers', '1']));
  const loneWorkers = [keep('lone-worker', [WORKER])];
  const all = [...frontEnds, ...supervisors, ...loneWorkers];
  return {
    folder,
    root,
    namespace,
    redis,
    frontEnds,
    supervisors,
    loneWorkers,
    supervisedWorkers: async () => (await Promise.all(supervisors.map(({ pid }) => childrenOf(pid())))).flat(),
    childrenOf,
    async start() {
      for (const one of all) one.start();
      await Promise.all(ports.map(untilListening));
    },
    async stop() {
      const killed = await Promise.all(all.map(async (one) => ((await one.stop()) ? [] : [one.name])));
      return killed.flat();
    },
    async dispose(keep = false) {
      await redis.stop();
      if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** The environment without any setting of the person who runs this. */
function environmentOf(folder: string, { namespace, socketPath }: { namespace: string; socketPath: string }) {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('LONGHAUL_') ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: join(folder, 'tmp'),
    LONGHAUL_REDIS_URL: `unix://${socketPath}`,
    LONGHAUL_NAMESPACE: namespace,
    LONGHAUL_DATA_DIR: join(folder, 'data'),
    LONGHAUL_CACHE_DIR: join(folder, 'cache'),
    LONGHAUL_TOOLS: TOOLS,
    LONGHAUL_PART_FILES: String(PART_FILES),
    LONGHAUL_SCAN_THREADS: '1',
    LONGHAUL_CONCURRENCY: 'analysis=2,review=4',
    LONGHAUL_GRACE_SECONDS: '2',
    // The lanes of a run are long sessions of many reviews.
    LONGHAUL_SESSION_OUTPUT_TOKENS: '1000000000',
    LONGHAUL_INPUT_TIMEOUT_SECONDS: '600',
  };
}

interface Keeping {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

const USUAL_RESTART_MS = 200;

/** Keeps a process running, as a service manager does. */
function keepProcess({ name, args, env, folder }: Keeping) {
  const log = createWriteStream(join(folder, 'logs', `${name}.log`), { flags: 'a' });
  let child: ChildProcess | undefined;
  let restartMs = USUAL_RESTART_MS;
  let stopping = false;
  let ended: Promise<void> = Promise.resolve();
  const start = (): void => {
    const started = spawn(process.execPath, [...args], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    started.stderr.pipe(log, { end: false });
    ended = new Promise((resolve) => {
      // Not `close`: workers of a killed supervisor hold its stderr until they have drained.
      started.once('exit', (code, signal) => {
        log.write(`-- ${new Date().toISOString()} pid ${started.pid} ended: ${signal ?? code}\n`);
        child = undefined;
        resolve();
        const again = restartMs;
        restartMs = USUAL_RESTART_MS;
        if (!stopping) setTimeout(() => stopping || start(), again);
      });
    });
  };
  return {
    name,
    start,
    pid: () => child?.pid,
    restartAfter(ms: number) {
      restartMs = ms;
    },
    /** Says whether it ended by itself. */
    async stop(): Promise<boolean> {
      stopping = true;
      child?.kill('SIGTERM');
      const orderly = await settlesWithin(ended, STOP_LIMIT_MS);
      if (!orderly) child?.kill('SIGKILL');
      await ended;
      return orderly;
    },
  };
}

async function keepRedis(dataDir: string): Promise<KeptRedis & { stop(): Promise<void> }> {
  const pathFolders = (process.env.PATH ?? '').split(delimiter);
  const { path: binary, libraryPath } = await findRedis({ pathFolders, cacheDir: testCacheDir() });
  const socketPath = join(dataDir, 'redis.sock');
  const start = async (): Promise<RedisProcess> => {
    const server = await startRedis({ binary, libraryPath, dataDir, socketPath });
    // Killed within its sync, `everysec` loses writes of the last moments that it had acknowledged (decision 0002).
    await callRedis(socketPath, ['CONFIG', 'SET', 'appendfsync', 'always']);
    return server;
  };
  let server: RedisProcess | undefined = await start();
  return {
    socketPath,
    pid: () => server?.pid,
    async killFor(ms, onStart) {
      const dead = server;
      server = undefined;
      await dead?.kill();
      await pause(ms);
      onStart?.();
      server = await start();
    },
    stop: async () => server?.stop(),
  };
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').map(Number).filter(Boolean);
}

async function untilListening(port: number): Promise<void> {
  const giveUpAtMs = Date.now() + LISTEN_LIMIT_MS;
  for (;;) {
    const heard = await send({ port }, { method: 'GET' }).then(
      (reply) => reply.status > 0,
      () => false,
    );
    if (heard) return;
    if (Date.now() > giveUpAtMs) throw new Error(`no front end listens on port ${port} after ${LISTEN_LIMIT_MS} ms`);
    await pause(50);
  }
}
