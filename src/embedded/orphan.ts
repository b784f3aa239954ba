/** Stops a server that its guardian left behind, before another may open the same data. */
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PID_NAME } from './redis-process.js';
import { callRedis } from './resp-client.js';
import { runCommand } from './run-command.js';

const SHUTDOWN_LIMIT_MS = 10_000;
const TERM_LIMIT_MS = 3000;
const LOOK_EVERY_MS = 10;

/**
 * Stops the server that answers on `socketPath`, or whose pid the data folder names, and resolves when it has ended:
 * SHUTDOWN, after 10 s SIGTERM, after 3 s more SIGKILL. Removes its socket and pid file. Resolves with its pid, or
 * with undefined when there was none. Signals no process but a server whose data lies in `dataDir`.
 *
 * Rejects when a server still answers that cannot be signalled, such as one in another container.
 */
export async function stopOrphan(dataDir: string, socketPath: string): Promise<number | undefined> {
  const pid = (await pidBySocket(socketPath)) ?? (await pidByFile(dataDir)) ?? (await pidByFolder(dataDir));
  // An answer to SHUTDOWN is only ever an error; the end is what counts.
  const asked = await callRedis(socketPath, ['SHUTDOWN'], SHUTDOWN_LIMIT_MS).catch(() => undefined);
  if (pid !== undefined) await end(pid, dataDir, asked === undefined);
  const answers = await callRedis(socketPath, ['PING']).then(
    () => true,
    (error: Error) => error.name === 'RedisReplyError',
  );
  if (answers) throw new Error('Another Redis server holds the data folder and does not stop');
  await rm(socketPath, { force: true });
  await rm(join(dataDir, PID_NAME), { force: true });
  return pid;
}

async function pidBySocket(socketPath: string): Promise<number | undefined> {
  const info = await callRedis(socketPath, ['INFO', 'server']).catch(() => '');
  const pid = /^process_id:(\d+)/m.exec(info)?.[1];
  return pid ? Number(pid) : undefined;
}

async function pidByFile(dataDir: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(dataDir, PID_NAME), 'utf8').catch(() => ''));
  return pid > 1 && (await isServerOf(pid, dataDir)) ? pid : undefined;
}

/**
 * A server on its way out has removed its pid file and answers nobody, but removes the socket only as its last act: by then
 * it would be the next server's. Only Linux tells which processes work in a folder.
 */
async function pidByFolder(dataDir: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const home = await realpath(dataDir);
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    const worksHere = pid > 1 && (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === home;
    if (worksHere && (await isServerOf(pid, dataDir))) return pid;
  }
  return undefined;
}

async function end(pid: number, dataDir: string, wasAsked: boolean): Promise<void> {
  if (wasAsked && (await endsWithin(pid, dataDir, SHUTDOWN_LIMIT_MS))) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isServerOf(pid, dataDir))) return;
    process.kill(pid, signal);
    if (await endsWithin(pid, dataDir, TERM_LIMIT_MS)) return;
  }
}

async function endsWithin(pid: number, dataDir: string, limitMs: number): Promise<boolean> {
  for (const until = performance.now() + limitMs; performance.now() < until; await delay(LOOK_EVERY_MS)) {
    if (!(await isServerOf(pid, dataDir))) return true;
  }
  return false;
}

/** A pid may have been given to another process since; Redis works in its data folder and names its socket in its title. */
async function isServerOf(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const [folder, title] = await Promise.all([
      readlink(`/proc/${pid}/cwd`).catch(() => undefined),
      readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    ]);
    return folder === (await realpath(dataDir)) && isServerTitle(title);
  }
  const { stdout } = await runCommand('ps', ['-o', 'command=', '-p', String(pid)]);
  return isServerTitle(stdout) && stdout.includes(dataDir);
}

function isServerTitle(title: string): boolean {
  return /redis|valkey/.test(title);
}
