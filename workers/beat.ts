/**
 * Has a thread tell Redis, every second, that this worker is alive and what it runs, and keep the locks of its jobs. A thread,
 * because a handler may block the event loop: that is slow, but no death, and must not have its job run twice.
 */
import { hostname } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type HeldJob, holdingOf } from '../src/bullmq/holds.js';
import { RECORD_VERSION } from '../src/core/job.js';
import { type Service, settlesWithin } from '../src/core/lifecycle.js';
import type { Presence } from '../src/core/presence.js';
import type { Logger } from '../src/logger.js';
import type { RedisAddress } from '../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../src/redis/context.js';
import type { Keys } from '../src/redis/keys.js';
import type { BeatData, BeatNews, BeatOrder } from './beat-messages.js';

/** What beating needs. */
export interface BeatOptions {
  readonly address: RedisAddress;
  readonly keys: Pick<Keys, 'queuePrefix' | 'workers' | 'worker'>;
  readonly presence: Pick<Presence, 'beat' | 'leave'>;
  readonly workerId: string;
  /** Of the program. */
  readonly version: string;
  readonly queues: readonly string[];
  readonly slots: number;
  readonly lockMs: number;
  /** Milliseconds without a beat after which others take this worker for dead. */
  readonly silenceMs: number;
  /** Milliseconds for which the event loop may be blocked before the process is ended. */
  readonly standstillMs: number;
  readonly logger: Logger;
  /** Told of a job that the queue gave to somebody else. */
  onLost(held: HeldJob): void;
}

/** The beating of one worker; `start` resolves with the first beat, or once Redis was waited for in vain, and the thread goes on. */
export interface Beat extends Service {
  taken(held: HeldJob): void;
  let(held: HeldJob): void;
}

/** A beat every second, of the ten that the silence of death takes. */
const BEATS_TO_DEATH = 10;
/** As often as the loop says that it turns, it wakes; a beat is rarer. */
const TURN_MS = 500;
/** Until then the thread may take a job that has ended for one that runs, and keep a lock that is gone. */
const LET_MS = 100;
const START_LIMIT_MS = 5_000;
const END_LIMIT_MS = 500;
const RESTART_MS = 1_000;

/** Builds the beating; it begins with `start`. */
export function createBeat(options: BeatOptions): Beat {
  const turns = new SharedArrayBuffer(4);
  const held = new Map<string, HeldJob>();
  const data = dataOf(options, turns);
  let thread: Worker | undefined;
  let ticker: NodeJS.Timeout | undefined;
  let ending = false;
  const orders = createOrders((gathered) => thread?.postMessage(gathered));

  const open = (): void => {
    thread = new Worker(new URL('./beat-thread.js', import.meta.url), { workerData: data });
    for (const job of held.values()) orders.give({ kind: 'taken', held: job });
    thread.on('message', ({ lost }: BeatNews) => options.onLost(lost));
    thread.on('error', (err) => options.logger.error({ err }, 'the thread that beats for this worker failed'));
    thread.on('exit', () => {
      if (!ending) setTimeout(open, RESTART_MS);
    });
  };
  return {
    name: 'beat',
    async start() {
      if (ticker) return;
      ticker = setInterval(() => Atomics.add(new Int32Array(turns), 0, 1), TURN_MS).unref();
      open();
      await settlesWithin(options.presence.beat({ ...data.report, jobs: [], blockedMs: 0 }), START_LIMIT_MS);
    },
    quiet: () => Promise.resolve(),
    async stop() {
      ending = true;
      clearInterval(ticker);
      orders.close();
      if (!thread) return;
      await thread.terminate();
      // What could not be handed back is found by whoever misses this worker.
      if (held.size === 0) await settlesWithin(options.presence.leave(options.workerId), END_LIMIT_MS);
    },
    taken(job) {
      held.set(holdingOf(job), job);
      orders.give({ kind: 'taken', held: job });
    },
    let(job) {
      held.delete(holdingOf(job));
      orders.give({ kind: 'let', holding: holdingOf(job) });
    },
  };
}

/**
 * Gathers orders: a message costs as much as a good part of a short job. A job that is taken is told of before the event loop turns, and
 * so before its handler can block it; one that was let go of may be told of with the next, or a little later.
 */
function createOrders(send: (orders: readonly BeatOrder[]) => void) {
  let gathered: BeatOrder[] = [];
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    isDue = false;
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length > 0) send(gathered);
    gathered = [];
  };
  return {
    give(order: BeatOrder): void {
      gathered.push(order);
      if (order.kind === 'let') timer ??= setTimeout(flush, LET_MS).unref();
      if (order.kind === 'let' || isDue) return;
      isDue = true;
      process.nextTick(flush);
    },
    close: () => clearTimeout(timer),
  };
}

function dataOf(options: BeatOptions, turns: SharedArrayBuffer): BeatData {
  const { address, keys, workerId, version, queues, slots, lockMs, silenceMs, standstillMs } = options;
  const common = { host: hostname(), pid: process.pid, startedAtMs: Date.now(), recordVersion: RECORD_VERSION };
  return {
    address,
    queuePrefix: keys.queuePrefix,
    beats: { key: keys.workers(), reportKey: keys.worker(workerId), ttlMs: DEFAULT_RETENTION.activeTtlMs },
    lockMs,
    beatMs: silenceMs / BEATS_TO_DEATH,
    standstillMs,
    report: { id: workerId, version, queues: [...queues], slots, ...common },
    turns,
  };
}
