/** One worker process beside a front end: spawned, watched for readiness, stopped; never given stdin or stdout. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { settlesWithin } from './core/lifecycle.js';

/** What a worker child is started with. */
export interface WorkerChildOptions {
  /** Absolute path of the compiled worker entry. */
  readonly entry: string;
  readonly workerId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A name that no other worker has had: a record names who runs its job, and a pid may come back, in a container at once. */
export function newWorkerId(): string {
  return `${hostname().replace(/[^A-Za-z0-9.-]/g, '-')}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** A running worker child. */
export interface WorkerChild {
  readonly workerId: string;
  readonly pid: number | undefined;
  /** Resolves when the worker takes jobs; never if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with words on how it ended. */
  readonly exited: Promise<string>;
  /** Lets its jobs run `deadlineMs` more, then has them handed back; kills it if it does not end; resolves when it is gone. */
  stop(deadlineMs: number): Promise<void>;
}

/** The message a worker sends its parent once it takes jobs. */
export const READY_MESSAGE = 'ready';

/** The message that stops a worker: how long its jobs may still run, in milliseconds. */
export interface StopMessage {
  readonly stopWithinMs: number;
}

/** Whether a message from the parent is a `StopMessage`. */
export function isStopMessage(message: unknown): message is StopMessage {
  return (
    typeof message === 'object' &&
    message !== null &&
    'stopWithinMs' in message &&
    typeof message.stopWithinMs === 'number'
  );
}

/** Time for a stopping worker to unwind after its deadline, before it is killed. */
const EXIT_MARGIN_MS = 4_000;

/**
 * By default a worker lets 48 MiB of short-lived garbage gather, once it has read a large list; with less room it collects oftener, in
 * the same time. Whoever needs a larger heap says so in NODE_OPTIONS. One thread beside those that scan is enough for V8's own chores:
 * more keep memory each and compete with the scan. What little is put in line where it is called is compiled in two thirds of the
 * time, once for each thread, which a scan of seconds feels more than the calls.
 */
function nodeFlags({ NODE_OPTIONS = '' }: WorkerChildOptions['env']): string[] {
  const heap = /max[-_]old[-_]space[-_]size/.test(NODE_OPTIONS) ? [] : ['--max-old-space-size=1024'];
  return ['--max-semi-space-size=2', '--v8-pool-size=1', ...INLINE_LITTLE, ...heap];
}

const INLINE_LITTLE = ['--max-inlined-bytecode-size=100', '--max-inlined-bytecode-size-cumulative=200'];

/**
 * By default glibc keeps a heap for each of a worker's some fifteen threads, and raises what it keeps of freed memory with every large
 * buffer: a tenth of the worker's memory. What the operator has set stays; where there is no glibc nobody reads these.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Spawns the worker; if this process dies, however, the closed channel makes the worker drain and end. */
export function spawnWorker(options: WorkerChildOptions): WorkerChild {
  const child = spawn(process.execPath, [...nodeFlags(options.env), options.entry, '--worker-id', options.workerId], {
    env: { ...MALLOC, ...options.env },
    // What a dependency prints to stdout goes to stderr: stdout of this process may be carrying the protocol.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
  let isReady = false;
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message !== READY_MESSAGE) return;
      isReady = true;
      resolve();
    });
  });
  return {
    workerId: options.workerId,
    pid: child.pid,
    ready,
    exited,
    stop(deadlineMs) {
      // Ends a worker that is still loading; one that can have a job ignores it, and follows the message.
      if (!isReady) child.kill('SIGTERM');
      return stopChild(child, exited, deadlineMs);
    },
  };
}

async function stopChild(child: ChildProcess, exited: Promise<string>, deadlineMs: number): Promise<void> {
  if (child.connected) child.send({ stopWithinMs: deadlineMs } satisfies StopMessage, () => undefined);
  else child.kill('SIGTERM');
  if (await settlesWithin(exited, deadlineMs + EXIT_MARGIN_MS)) return;
  child.kill('SIGKILL');
  await exited;
}
