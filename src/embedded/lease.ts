/** The holder's end of a lease: joins the guardian of a data folder, or starts one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { AppError } from '../core/errors.js';
import { settlesWithin } from '../core/lifecycle.js';
import { connectToGuardian, type LockPlace } from './guardian-lock.js';
import { asGuardianNews, type GuardianNews, onMessage, send } from './lease-messages.js';
import type { GuardianSpec } from './run-guardian.js';

/** A lease on a server that answers. It does not keep this process alive. */
export interface Lease {
  /** What the guardian said of the server. */
  server: Extract<GuardianNews, { kind: 'ready' }>;
  /** Resolves when the lease has ended: by `end()`, or because the guardian is gone. */
  ended: Promise<void>;
  /** Ends the lease; if it was the last, resolves when the server is down and nothing is left of it. */
  end(): Promise<void>;
}

/** How long to wait for a guardian's word. */
export interface LeaseWait {
  limitMs: number;
  /** An abort gives the lease up and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Covers a SHUTDOWN that has to write much (10 s); after that the guardian goes on alone. */
const PARTING_LIMIT_MS = 12_000;
const HEAP_LIMITS = ['--max-old-space-size=32', '--max-semi-space-size=1'];

/**
 * Asks the living guardian for a lease. Resolves with undefined when there is none or it is just ending.
 * Throws `AppError('redis_unavailable')` with the guardian's words when its server cannot be started, or after the limit.
 */
export async function joinGuardian(place: LockPlace, wait: LeaseWait): Promise<Lease | undefined> {
  const socket = await connectToGuardian(place);
  if (!socket) return undefined;
  send(socket, { kind: 'lease', folder: place.folder });
  return await leaseOn(socket, wait);
}

/**
 * Starts a guardian and holds its first lease. Resolves with undefined when another guardian came first, or this one
 * was killed.
 * Throws as `joinGuardian` does, and when the guardian's process ended without a word.
 */
export async function startGuardian(spec: GuardianSpec, wait: LeaseWait): Promise<Lease | undefined> {
  wait.signal?.throwIfAborted();
  const child = spawn(process.execPath, [...HEAP_LIMITS, guardianProgram(import.meta.url), JSON.stringify(spec)], {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const socket = child.stdio[3];
  if (!(socket instanceof Socket)) throw new AppError('redis_unavailable', 'The guardian of Redis could not be run');
  const fault = faultOf(child);
  try {
    const lease = await leaseOn(socket, wait);
    if (lease) return lease;
    const said = await fault;
    if (said) throw new AppError('redis_unavailable', `The guardian of Redis ${said} before Redis was ready`);
    return undefined;
  } finally {
    child.unref();
  }
}

/** Source and tests run the compiled guardian too: it is a process of its own, and Node runs no TypeScript. */
function guardianProgram(moduleUrl: string): string {
  const path = moduleUrl.endsWith('.ts') ? '../../dist/src/embedded/guardian.js' : './guardian.js';
  return fileURLToPath(new URL(path, moduleUrl));
}

/** Resolves when the process has ended: with undefined if another try may go better, else with what befell it. */
function faultOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`));
    child.once('exit', (code, signal) => resolve(code === 0 || signal ? undefined : `ended with code ${code}`));
  });
}

async function leaseOn(socket: Socket, { limitMs, signal }: LeaseWait): Promise<Lease | undefined> {
  const ended = new Promise<void>((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
  const drop = async () => {
    socket.destroy();
    await ended;
  };
  const end = async () => {
    // The guardian hangs up: at once if others stay, else when the server is down.
    socket.ref();
    send(socket, { kind: 'bye' });
    await settlesWithin(ended, PARTING_LIMIT_MS);
    await drop();
  };
  try {
    const news = await firstNews(socket, limitMs, signal);
    if (news?.kind === 'ready') {
      socket.unref();
      return { server: news, ended, end };
    }
    await drop();
    if (news?.kind === 'failed') throw new AppError('redis_unavailable', news.message);
    return undefined;
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Undefined when the guardian hung up without a word. */
function firstNews(socket: Socket, limitMs: number, signal?: AbortSignal): Promise<GuardianNews | undefined> {
  return new Promise<GuardianNews | undefined>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    const late = () => reject(new AppError('redis_unavailable', `Redis was not ready in ${limitMs} ms`));
    const timer = setTimeout(late, limitMs);
    const settle = (news?: GuardianNews) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(news);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    onMessage(socket, (message) => settle(asGuardianNews(message)));
    socket.once('close', () => settle());
  });
}
