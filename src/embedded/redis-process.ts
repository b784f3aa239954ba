/** Runs one Redis server as a child of this process, with the settings that durable jobs need. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { settlesWithin } from '../core/lifecycle.js';
import { libraryEnv } from './inspect-binary.js';
import { callRedis } from './resp-client.js';
import { type TetherKind, tether } from './tether.js';

/** Which server to run, where. */
export interface ServerSpec {
  /** Absolute path of `redis-server` or `valkey-server`. */
  binary: string;
  /** `LD_LIBRARY_PATH` of the server, if it needs one. */
  libraryPath?: string | undefined;
  /** Absolute folder of the data and the log; must exist and be private. */
  dataDir: string;
  /** At most 107 bytes (103 on macOS); a dead server's socket there is replaced. */
  socketPath: string;
  /** How long the server may take until it answers PING, loading of its data included; default 20 000. */
  startLimitMs?: number | undefined;
  /** For tests of the watchdog; default the best offered. */
  tether?: TetherKind | undefined;
}

/** A server that has answered PING. */
export interface RedisProcess {
  pid: number;
  /** E.g. `7.0.15`. */
  version: string;
  /** Resolves when the server has ended, however that came about, with a phrase for the log. */
  ended: Promise<string>;
  /** Flushes and stops it: SHUTDOWN, after 10 s SIGTERM, after 3 s more SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL and resolves when it has ended. */
  kill(): Promise<void>;
}

/** The log of the server, in its data folder; emptied at a start once it is larger than 5 MB. */
export const LOG_NAME = 'redis.log';

/** The pid of the server, written by itself, so that an orphan can be found that answers no more. */
export const PID_NAME = 'redis.pid';

const LOG_LIMIT_BYTES = 5 * 1024 * 1024;
const START_LIMIT_MS = 20_000;
const PING_EVERY_MS = 5;
const SHUTDOWN_LIMIT_MS = 10_000;
const TERM_LIMIT_MS = 3000;
const LOG_LINES_SHOWN = 8;

/**
 * Starts a server and resolves when it answers PING; one that is still loading its data is waited for.
 *
 * The server listens on no port. Rejects with a plain Error, which ends in the last lines of the server's log, when it
 * ended or did not answer in `startLimitMs`; with the signal's reason on abort. Nothing runs after a rejection.
 */
export async function startRedis(spec: ServerSpec, signal?: AbortSignal): Promise<RedisProcess> {
  signal?.throwIfAborted();
  await boundLog(join(spec.dataDir, LOG_NAME));
  const held = tether(spec.binary, serverArgs(spec), spec.tether);
  // Four times nothing: the guardian's own lease is its descriptor 3, and a server that inherited it would keep it open.
  const child = spawn(held.command, held.args, {
    cwd: spec.dataDir,
    env: libraryEnv(spec.libraryPath),
    stdio: ['ignore', 'ignore', 'ignore', 'ignore'],
  });
  const letGo = child.pid === undefined ? () => {} : held.hold(child.pid);
  const ended = endOf(child).finally(letGo);
  try {
    const version = await untilReady(spec, child, signal);
    return {
      pid: child.pid ?? 0,
      version,
      ended,
      stop: () => stop(child, spec.socketPath, ended),
      kill: () => kill(child, ended),
    };
  } catch (error) {
    await kill(child, ended);
    if (signal?.aborted) throw signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}${await lastLogLines(spec.dataDir)}`, { cause: error });
  }
}

/** The append-only file is the promise of durability; snapshots beside it would only cost a fork and a second copy. */
function serverArgs({ dataDir, socketPath }: ServerSpec): string[] {
  const settings = {
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: dataDir,
    pidfile: join(dataDir, PID_NAME),
    logfile: join(dataDir, LOG_NAME),
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function boundLog(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && found.size > LOG_LIMIT_BYTES) await truncate(path);
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`));
  });
}

async function untilReady(spec: ServerSpec, child: ChildProcess, signal?: AbortSignal): Promise<string> {
  const limitMs = spec.startLimitMs ?? START_LIMIT_MS;
  const until = performance.now() + limitMs;
  let ending: string | undefined;
  endOf(child).then((phrase) => {
    ending = phrase;
  });
  for (let seen = 'nothing'; ; ) {
    signal?.throwIfAborted();
    if (ending) throw new Error(`The Redis server ${spec.binary} ${ending} before it was ready`);
    if (performance.now() > until) throw new Error(`Redis was not ready in ${limitMs} ms; last seen: ${seen}`);
    const info = await callRedis(spec.socketPath, ['INFO', 'server']).catch((error: Error) => error);
    seen = info instanceof Error ? info.message : await pinged(spec.socketPath);
    if (typeof info === 'string' && seen === 'PONG' && isOf(child, info)) return versionIn(info);
    await delay(PING_EVERY_MS);
  }
}

/** An orphan of an earlier run may answer on the same path until the child has bound it anew. */
function isOf(child: ChildProcess, info: string): boolean {
  return /^process_id:(\d+)/m.exec(info)?.[1] === String(child.pid);
}

function pinged(socketPath: string): Promise<string> {
  return callRedis(socketPath, ['PING']).catch((error: Error) => error.message);
}

function versionIn(info: string): string {
  // Valkey also names the Redis version it is compatible with.
  return (/^valkey_version:(\S+)/m.exec(info) ?? /^redis_version:(\S+)/m.exec(info))?.[1] ?? 'unknown';
}

async function stop(child: ChildProcess, socketPath: string, ended: Promise<string>): Promise<void> {
  // The server answers SHUTDOWN by hanging up; what counts is its end.
  callRedis(socketPath, ['SHUTDOWN'], SHUTDOWN_LIMIT_MS).catch(() => undefined);
  if (await settlesWithin(ended, SHUTDOWN_LIMIT_MS)) return;
  child.kill('SIGTERM');
  if (await settlesWithin(ended, TERM_LIMIT_MS)) return;
  await kill(child, ended);
}

async function kill(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function lastLogLines(dataDir: string): Promise<string> {
  const log = await readFile(join(dataDir, LOG_NAME), 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
  return log ? `. The end of its log:\n${lines.join('\n')}` : '. It wrote no log';
}
