/**
 * Ties a server's life to its parent's, however the parent ends: Redis itself would outlive a killed parent.
 *
 * On Linux the kernel does it: `setpriv --pdeathsig` (util-linux 2.33 or newer; BusyBox has none) sends the server
 * SIGTERM when the thread that started it is gone, and then becomes the server, so the pid stays the child's.
 * Elsewhere a watchdog of `/bin/sh` reads a pipe that only the parent holds open, and sends the SIGTERM at its end.
 */
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';

/** `kernel` where it is offered, else `watchdog`. */
export type TetherKind = 'kernel' | 'watchdog';

/** A way to start a program that ends with this process. */
export interface Tether {
  /** The program to start in place of `command`. */
  command: string;
  args: readonly string[];
  /** To be called with the pid once the program runs; the answer lets go of it, and is to be called when it ended. */
  hold(pid: number): () => void;
}

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];
const WATCHDOG_SCRIPT = 'read -r end; kill -TERM "$1" 2>/dev/null';

/** Says how to start `command` so that it gets SIGTERM when this process ends. `kind` defaults to the best offered. */
export function tether(command: string, args: readonly string[], kind?: TetherKind): Tether {
  const setpriv = kind === 'watchdog' ? undefined : SETPRIV.find(isUtilLinux);
  if (!setpriv) return { command, args, hold: startWatchdog };
  return { command: setpriv, args: ['--pdeathsig', 'TERM', command, ...args], hold: () => () => {} };
}

function isUtilLinux(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return basename(realpathSync(path)) === 'setpriv';
  } catch {
    return false;
  }
}

function startWatchdog(pid: number): () => void {
  const args = ['-c', WATCHDOG_SCRIPT, 'longhaul-redis-watchdog', String(pid)];
  const watchdog = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore', 'ignore'], detached: true, env: {} });
  watchdog.on('error', () => undefined);
  watchdog.unref();
  return () => watchdog.kill('SIGKILL');
}
