/** Real Longhaul-like processes that hold an embedded Redis, and a view of what runs because of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { EmbeddedOptions, EmbeddedRedis } from '../../src/embedded/acquire-redis.js';
import { findRedis } from '../../src/embedded/find-redis.js';
import { callRedis } from '../../src/embedded/resp-client.js';
import { testCacheDir } from '../support/redis.js';

/** A process of its own that called `acquireRedis`. */
export interface Holder {
  pid: number;
  redis: Omit<EmbeddedRedis, 'release'>;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Releases the server and ends. */
  release(): Promise<void>;
  /** Sends a signal and resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Closes its stdin, at which it releases and ends. */
  closeInput(): Promise<void>;
}

/** One process that runs because of a data folder. */
export interface Running {
  pid: number;
  role: 'redis' | 'guardian' | 'watchdog' | 'other';
}

const PATH_FOLDERS = (process.env.PATH ?? '').split(delimiter);
const LIMIT_MS = 30_000;
const HOLDER = `
  const { acquireRedis } = await import(process.argv[1]);
  const { release, ...redis } = await acquireRedis(JSON.parse(process.argv[2]));
  process.stdout.write(JSON.stringify(redis) + '\\n');
  process.stdin.on('end', () => release().then(() => process.exit())).resume();
`;

/** Fetches the server into the cache that all tests share, if this machine has none; takes seconds, once. */
export async function fetchOnce(): Promise<void> {
  await findRedis({ pathFolders: PATH_FOLDERS, cacheDir: testCacheDir() });
}

/** Options for a data folder of the test's own, with the caches and folders of this machine and no grace. */
export async function freshOptions(more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedOptions> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-embedded-')));
  const dataDir = join(parent, 'data');
  onTestFinished(async () => {
    await killAllFor(more.dataDir ?? dataDir);
    await rm(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return { dataDir, cacheDir: testCacheDir(), pathFolders: PATH_FOLDERS, graceMs: 0, ...more };
}

/** Kills what runs because of a data folder until nothing does: one of them may be about to start another. */
export async function killAllFor(dataDir: string): Promise<void> {
  await until('nothing runs for the folder', async () => {
    const running = await runningFor(dataDir);
    for (const { pid } of running) killIfAlive(pid);
    return { done: running.length === 0, seen: running };
  });
}

/** Starts a process that acquires the server, and resolves when it has it. Killed at the test's end. */
export async function startHolder(options: EmbeddedOptions): Promise<Holder> {
  const module = new URL('../../dist/src/embedded/acquire-redis.js', import.meta.url).href;
  const args = ['--input-type=module', '-e', HOLDER, module, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  const redis = await firstLine(child);
  const end = async (act: () => void) => {
    act();
    await ended;
  };
  const closeInput = () => end(() => child.stdin.end());
  return {
    pid: child.pid ?? 0,
    redis,
    ended,
    release: closeInput,
    closeInput,
    kill: (signal) => end(() => child.kill(signal)),
  };
}

/** As `callRedis`, for a server that is there but may be kept from answering by a busy machine. */
export function askRedis(socketPath: string, ...command: readonly string[]): Promise<string> {
  return callRedis(socketPath, command, LIMIT_MS);
}

/** The processes that work in the data folder or name it, and the watchdogs of these; holders are `other`. */
export async function runningFor(dataDir: string): Promise<Running[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const seen = await Promise.all(
    pids.map(async (pid) => {
      const title = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return { pid, title, folder };
    }),
  );
  const direct = seen.filter(({ title, folder }) => title && (folder === dataDir || title.includes(dataDir)));
  const watched = new Set(direct.map(({ pid }) => `longhaul-redis-watchdog ${pid}`));
  const watchdogs = seen.filter(({ title }) => watched.has(/longhaul-redis-watchdog \d+$/.exec(title)?.[0] ?? ''));
  return [...direct, ...watchdogs].map(({ pid, title }) => ({ pid, role: roleOf(title) }));
}

/** The pid of the only process in that role. */
export async function pidOf(role: Running['role'], dataDir: string): Promise<number> {
  const found = (await runningFor(dataDir)).filter((running) => running.role === role);
  if (found.length !== 1 || !found[0]) throw new Error(`Expected one ${role}, found ${JSON.stringify(found)}`);
  return found[0].pid;
}

/** Waits until nothing runs for the data folder any more and no socket, lock or pid file is left in it. */
export async function nothingIsLeft(dataDir: string): Promise<void> {
  await until('nothing is left', async () => {
    const running = await runningFor(dataDir);
    const names = await readdir(dataDir).catch(() => []);
    const files = names.filter((name) => !['appendonlydir', 'appendonly.aof', 'redis.log'].includes(name));
    return { done: running.length + files.length === 0, seen: { running, files } };
  });
}

/** Looks again and again, for at most half a minute, and then fails with what was seen last. */
export async function until(what: string, look: () => Promise<{ done: boolean; seen: unknown }>): Promise<void> {
  let seen: unknown;
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await delay(5)) {
    const looked = await look();
    if (looked.done) return;
    seen = looked.seen;
  }
  throw new Error(`Waited ${LIMIT_MS} ms in vain until ${what}; last seen: ${JSON.stringify(seen)}`);
}

function roleOf(title: string): Running['role'] {
  if (/longhaul-redis-watchdog/.test(title)) return 'watchdog';
  if (/guardian\.js/.test(title)) return 'guardian';
  return /^\S*(redis|valkey)-server/.test(title) ? 'redis' : 'other';
}

/** Kills a process that may have ended by itself since it was seen. */
export function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

function firstLine(child: ChildProcess): Promise<Holder['redis']> {
  return new Promise((resolve, reject) => {
    let said = '';
    let complained = '';
    child.stderr?.on('data', (chunk) => {
      complained += chunk;
    });
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      if (said.endsWith('\n')) resolve(JSON.parse(said));
    });
    child.once('close', () => reject(new Error(`The holder ended before it had a server: ${complained}`)));
  });
}
