/**
 * The life of a guardian: it owns one Redis server for all Longhaul processes of a data folder.
 *
 * Each of these holds one connection to the guardian, its lease, which the kernel closes when the process ends, be it
 * by SIGKILL. While a lease is held the guardian starts the server again whenever that ends. When none has been held
 * for the grace, it stops the server, removes the sockets and ends. When the guardian itself is killed the server gets
 * SIGTERM (see tether.ts); leaseholders see their lease close and start another guardian, which first waits for the
 * end of the old server, or stops it if its tether failed. With nobody left there is nothing left.
 */
import { appendFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimLock } from './guardian-lock.js';
import { send } from './lease-messages.js';
import type { Leases } from './leases.js';
import { stopOrphan } from './orphan.js';
import { LOG_NAME, PID_NAME, type RedisProcess, type ServerSpec, startRedis } from './redis-process.js';
import { REDIS_SOCKET, removeSocketFolder, restoreSocketFolder } from './socket-folder.js';

/** What a guardian is told by the process that starts it. */
export interface GuardianSpec extends Omit<ServerSpec, 'socketPath'> {
  /** The folder of the sockets: `dataDir` or a short link to it. */
  folder: string;
  /** How long the server outlives the last lease. */
  graceMs: number;
}

const RESTART_DELAYS_MS = [0, 50, 100, 200, 400, 800, 1000, 1000];
const HEALTHY_AFTER_MS = 30_000;

/**
 * Lives until no lease is held any more, beginning with that of the process that started it, `spawner`.
 *
 * Tells `spawner` that it lost when the data folder has a guardian already. A server that does not start, or that ended
 * eight times in a row within 30 s of its start, is reported to all holders and ends the guardian. Never rejects.
 */
export async function runGuardian(spec: GuardianSpec, leases: Leases, spawner: Socket): Promise<void> {
  leases.hold(spawner, spec.folder);
  const lock = await claimLock(spec, leases.greet).catch((error: Error) => error);
  if (lock && !(lock instanceof Error)) {
    await serve(spec, leases);
    await tidy(spec, leases);
    await lock.release();
    return;
  }
  const wasUnlinked = lock instanceof Error && 'code' in lock && lock.code === 'ENOENT';
  send(spawner, lock && !wasUnlinked ? { kind: 'failed', message: lock.message } : { kind: 'lost' });
  leases.close();
}

async function serve(spec: GuardianSpec, leases: Leases): Promise<void> {
  const socketPath = join(spec.folder, REDIS_SOCKET);
  try {
    await restoreSocketFolder(spec.dataDir, spec.folder);
    const orphan = await stopOrphan(spec.dataDir, socketPath);
    if (orphan !== undefined) await note(spec, `stopped the server ${orphan}, which its guardian had left`);
    await keepRunning(spec, socketPath, leases);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!leases.over.aborted) await note(spec, `gives up: ${message}`);
    leases.tell({ kind: 'failed', message });
  }
  leases.close();
}

/** Ends before the lock is released: nothing of the next guardian's may be removed. */
async function tidy({ dataDir }: GuardianSpec, leases: Leases): Promise<void> {
  await rm(join(dataDir, REDIS_SOCKET), { force: true });
  await rm(join(dataDir, PID_NAME), { force: true });
  for (const folder of leases.folders) await removeSocketFolder(folder);
}

async function keepRunning(spec: GuardianSpec, socketPath: string, leases: Leases): Promise<void> {
  let server: RedisProcess | undefined = await startRedis({ ...spec, socketPath }, leases.over);
  for (let ends = 0; ; ) {
    const began = performance.now();
    const end = server ? await untilEnd(spec, server, leases) : 'did not start';
    if (leases.over.aborted) return await server?.stop();
    leases.tell(undefined);
    ends = performance.now() - began > HEALTHY_AFTER_MS ? 1 : ends + 1;
    const delayMs = RESTART_DELAYS_MS[ends - 1];
    if (delayMs === undefined)
      throw new Error(`The Redis server ended ${ends} times in a row; it ${end} the last time`);
    await note(spec, `the server ${end}; starting it again in ${delayMs} ms`);
    await delay(delayMs, undefined, { signal: leases.over });
    server = await startRedis({ ...spec, socketPath }, leases.over).catch(async (error: Error) => {
      if (!leases.over.aborted) await note(spec, error.message);
      return undefined;
    });
  }
}

async function untilEnd(spec: GuardianSpec, server: RedisProcess, leases: Leases): Promise<string> {
  const { pid, version } = server;
  leases.tell({ kind: 'ready', pid, version, binary: spec.binary, libraryPath: spec.libraryPath });
  const over = new Promise<string>((resolve) => {
    leases.over.addEventListener('abort', () => resolve('is no longer needed'), { once: true });
  });
  if (leases.over.aborted) return 'is no longer needed';
  return Promise.race([server.ended, over]);
}

/** The server's log is also the guardian's, so that a person finds one story in one place. */
async function note({ dataDir }: GuardianSpec, text: string): Promise<void> {
  const line = `${process.pid}:G ${new Date().toISOString()} # Guardian: ${text}\n`;
  await appendFile(join(dataDir, LOG_NAME), line, { mode: 0o600 }).catch(() => undefined);
}
