/** Gives a Longhaul process a private Redis: the one its data folder already has, or one it starts itself. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../core/errors.js';
import { type BinarySource, type EmbeddedLog, type FindOptions, findRedis } from './find-redis.js';
import type { RedisBinary } from './inspect-binary.js';
import { joinGuardian, type Lease, type LeaseWait, startGuardian } from './lease.js';
import { ensurePrivateDir } from './private-dir.js';
import { REDIS_SOCKET, socketFolder } from './socket-folder.js';
import type { TetherKind } from './tether.js';

/** Where the data lies, where to look for a server, and how long things may take. */
export interface EmbeddedOptions extends FindOptions {
  /**
   * Absolute; made with mode 0700. All processes that name the same folder share one server. On a disk of this machine:
   * over a network file system two machines cannot see each other's guardians.
   */
  dataDir: string;
  /** Where a short link is put if `dataDir` is too long for sockets: `$XDG_RUNTIME_DIR`, or by default `os.tmpdir()`. */
  runtimeDir?: string | undefined;
  /** Until the server answers PING, loading of its data included; default 20 000. */
  startLimitMs?: number | undefined;
  /** How long the server outlives the last process that used it; default 1000. */
  graceMs?: number | undefined;
  /** For tests of the watchdog; default the best offered. */
  tether?: TetherKind | undefined;
}

/** A Redis in use by this process. */
export interface EmbeddedRedis {
  /** The only address of the server; it stays the same when the server or its guardian is started again. */
  socketPath: string;
  /** `running`: another process had started it. Else where the program was found. */
  source: 'running' | BinarySource;
  /** Absolute path of the server's program. */
  binary: string;
  /** E.g. `7.0.15`. */
  version: string;
  /** Ends this process's use of it; the last one's end stops the server, data safely on disk. Harmless twice. */
  release(): Promise<void>;
}

const START_LIMIT_MS = 20_000;
const GRACE_MS = 1000;
/** A guardian may first have to wait for the end of an old server: 10 s for SHUTDOWN, 3 s each for two signals. */
const PREDECESSOR_LIMIT_MS = 16_000;
const RETRY_EVERY_MS = 20;
const LONGEST_PAUSE_MS = 1000;

/**
 * Joins the server of `dataDir` if one runs, else finds or fetches a program and starts it under a guardian.
 *
 * Processes that call this at once end up with one server. The server is ended with the last of them, however they
 * end. If the guardian is lost while this process lives, another is started behind the scenes, and told to `onLog`.
 *
 * Throws `AppError`: `invalid_configuration` for a folder that is not private, `redis_not_found` when no program is to
 * be had, `redis_unavailable` with the end of the server's log when it does not start. An abort rejects with the
 * signal's reason and leaves nothing running; after the promise has resolved the signal has no effect.
 */
export async function acquireRedis(options: EmbeddedOptions): Promise<EmbeddedRedis> {
  options.signal?.throwIfAborted();
  await ensurePrivateDir(options.dataDir, 'data folder', 'choose another with LONGHAUL_DATA_DIR');
  const first = await obtain(options, undefined, options.signal);
  const released = new AbortController();
  const kept = keep(options, first, released.signal);
  return {
    socketPath: join(first.folder, REDIS_SOCKET),
    source: first.source,
    binary: first.lease.server.binary,
    version: first.lease.server.version,
    async release() {
      released.abort();
      await kept;
    },
  };
}

interface Holding {
  lease: Lease;
  folder: string;
  source: EmbeddedRedis['source'];
}

type Program = Pick<RedisBinary, 'path' | 'libraryPath'> & { source: EmbeddedRedis['source'] };

async function obtain(options: EmbeddedOptions, known?: Program, signal?: AbortSignal): Promise<Holding> {
  const limitMs = (options.startLimitMs ?? START_LIMIT_MS) + PREDECESSOR_LIMIT_MS;
  const wait: LeaseWait = { limitMs, signal };
  let program = known;
  for (let until = Number.POSITIVE_INFINITY; performance.now() < until; await delay(RETRY_EVERY_MS)) {
    // A guardian that ends removes the link, so it is looked at anew each time.
    const folder = await socketFolder(options.dataDir, options.runtimeDir ?? tmpdir());
    const joined = await joinGuardian({ dataDir: options.dataDir, folder }, wait);
    if (joined) return { lease: joined, folder, source: 'running' };
    program ??= await findRedis({ ...options, signal });
    const started = await startGuardian(guardianSpec(options, folder, program), wait);
    if (started) return { lease: started, folder, source: program.source };
    until = Math.min(until, performance.now() + limitMs);
  }
  throw new AppError(
    'redis_unavailable',
    `No guardian of Redis answered or stayed alive in ${limitMs} ms; see redis.log in the data folder`,
  );
}

function guardianSpec(options: EmbeddedOptions, folder: string, program: Program) {
  const { dataDir, startLimitMs, tether, graceMs = GRACE_MS } = options;
  return { dataDir, folder, binary: program.path, libraryPath: program.libraryPath, graceMs, startLimitMs, tether };
}

/** Holds a lease until `released`, by another guardian if one is lost. Never rejects. */
async function keep(options: EmbeddedOptions, first: Holding, released: AbortSignal): Promise<void> {
  let holding = first;
  const { binary: path, libraryPath } = first.lease.server;
  const program = { path, libraryPath, source: first.source };
  const end = () => void holding.lease.end();
  released.addEventListener('abort', end);
  while (!released.aborted) {
    await holding.lease.ended;
    if (released.aborted) return;
    options.onLog?.('warn', 'The guardian of Redis is gone; joining or starting another');
    const next = await obtainAgain(options, program, released);
    if (!next) return;
    holding = next;
    if (released.aborted) await next.lease.end();
  }
}

async function obtainAgain(
  options: EmbeddedOptions,
  program: Program,
  released: AbortSignal,
): Promise<Holding | undefined> {
  const log: EmbeddedLog = options.onLog ?? (() => undefined);
  let known: Program | undefined = program;
  for (let pauseMs = 50; !released.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await obtain(options, known, released);
    } catch (error) {
      if (released.aborted) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      // An upgrade may have moved the program.
      known = undefined;
      log('warn', `Redis could not be started again; trying on: ${reason}`);
    }
    await delay(pauseMs, undefined, { signal: released, ref: false }).catch(() => undefined);
  }
  return undefined;
}
