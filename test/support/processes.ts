/** Which processes run because of one data folder, as the kernel tells it: also those whose parent is gone. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './gate.js';
import { writeOut } from './redis.js';

/** One running process. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes that name the folder in their command or environment, or work in it; dead ones not reaped are none. */
export async function processesOf(folder: string): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const looked = await Promise.all(pids.map((pid) => look(pid, folder)));
  return looked.filter((found) => found !== undefined);
}

/** The worker processes of the folder; what one of them is about to turn into another program is none. */
export async function workersOf(folder: string): Promise<number[]> {
  const workers = (await processesOf(folder)).filter(({ command }) => command.includes('workers/main.js'));
  const pids = workers.map(({ pid }) => pid);
  return workers.filter(({ parent }) => !pids.includes(parent)).map(({ pid }) => pid);
}

/** The one worker process of the folder, once there is one. */
export async function workerOf(folder: string): Promise<number> {
  const isOne = (pids: readonly number[]) => pids.length === 1;
  const [pid] = await until(() => workersOf(folder), isOne, { what: 'the one worker' });
  return Number(pid);
}

/** Kills the Redis of the folder, with all it acknowledged in its file (see `writeOut`); returns its pid. */
export async function killRedisOf(folder: string): Promise<number> {
  const pid = await writtenOut(folder);
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** Kills all that runs for the folder at once, Redis with all it acknowledged in its file. */
export async function killInstallationOf(folder: string): Promise<void> {
  await writtenOut(folder);
  await killAllOf(folder);
}

async function writtenOut(folder: string): Promise<number> {
  const socket = join(folder, 'redis.sock');
  // One that has only just started over may hang up on who came for its predecessor.
  const told = () => writeOut(socket).catch((error: unknown) => String(error));
  const isPid = (seen: unknown) => typeof seen === 'number';
  return Number(await until(told, isPid, { what: 'Redis to write out what it acknowledged' }));
}

/** Waits until nothing runs for the folder any more; throws with what still runs after the limit, in milliseconds. */
export async function nothingRuns(folder: string, limitMs: number): Promise<void> {
  const what = 'every process of the installation to be gone';
  await until(
    () => processesOf(folder),
    (running) => running.length === 0,
    { what, limitMs },
  );
}

/** Kills all that runs for the folder, for the end of a test that may have failed. */
export async function killAllOf(folder: string): Promise<void> {
  for (const { pid } of await processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended in the meantime.
    }
  }
}

async function look(pid: number, folder: string): Promise<RunningProcess | undefined> {
  const [command, stat, environment, cwd] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  const belongs = command.includes(folder) || environment.includes(folder) || cwd.startsWith(folder);
  // Behind the name in parentheses, which may hold anything, come the state and the parent.
  const parent = Number(/^.*\) \S (\d+)/s.exec(stat)?.[1] ?? 0);
  return belongs && command !== '' ? { pid, parent, command: command.replaceAll('\0', ' ').trim() } : undefined;
}
