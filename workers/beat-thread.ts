/** The entry of the thread that beats for its worker and keeps the locks of its jobs, also while the worker's event loop is blocked. */
import { parentPort, workerData } from 'node:worker_threads';
import { createHolds, type HeldJob, holdingOf } from '../src/bullmq/holds.js';
import { pause } from '../src/core/lifecycle.js';
import type { WorkerReport } from '../src/core/presence.js';
import { beatScript, REPORT_TTL_MS } from '../src/redis/beat-script.js';
import { connectRedis, readyWithin } from '../src/redis/connection.js';
import type { BeatData, BeatNews, BeatOrder } from './beat-messages.js';

const data = workerData as BeatData;
const turns = new Int32Array(data.turns);
// A connection of its own that answers at once, or is left: what was not said in time is said anew with the next beat.
const redis = connectRedis(data.address, 'call');
const { id: workerId, queues } = data.report;
const holds = createHolds(redis, { prefix: data.queuePrefix, queues, workerId, lockMs: data.lockMs });
const held = new Map<string, HeldJob>();

const tell = (news: BeatNews): void => parentPort?.postMessage(news);

parentPort?.on('message', (orders: readonly BeatOrder[]) => {
  for (const order of orders) {
    if (order.kind === 'taken') held.set(holdingOf(order.held), order.held);
    if (order.kind === 'let') held.delete(order.holding);
  }
});

/** A loop that turns at least this often is busy, not blocked. */
const BUSY_MS = 2_000;

/** What one look adds at most: a process that was stopped as a whole, or its machine, had no loop to block. */
const LONGEST_STEP_MS = 10_000;

/** Builds the look at the worker's event loop: for how many milliseconds has it not turned? */
function createLoopWatch(): () => number {
  let seen = Atomics.load(turns, 0);
  let lookedAtMs = performance.now();
  let blockedMs = 0;
  return () => {
    const now = Atomics.load(turns, 0);
    const sinceMs = performance.now() - lookedAtMs;
    lookedAtMs += sinceMs;
    blockedMs = now === seen ? blockedMs + Math.min(sinceMs, LONGEST_STEP_MS) : 0;
    seen = now;
    return blockedMs < BUSY_MS ? 0 : Math.round(blockedMs);
  };
}

async function renew(all: boolean): Promise<void> {
  const lost = await holds.renew([...held.values()]);
  for (const job of lost) {
    // One that was let go of meanwhile was finished, not lost.
    if (held.delete(holdingOf(job))) tell({ lost: job });
  }
  if (all) await holds.renewAll();
}

async function beatOnce(blockedMs: number): Promise<void> {
  const { key, reportKey, ttlMs } = data.beats;
  const jobs = [...new Set([...held.values()].map(({ id }) => id))];
  const report: WorkerReport = { ...data.report, jobs, blockedMs };
  await beatScript(redis, [key, reportKey], [workerId, JSON.stringify(report), REPORT_TTL_MS, ttlMs]);
}

async function beat(): Promise<never> {
  const blockedMs = createLoopWatch();
  let renewAllAtMs = 0;
  for (;;) {
    if (redis.status !== 'ready') await readyWithin(redis, data.beatMs);
    const blocked = blockedMs();
    // Nobody could take its jobs, nor end them: better it dies, which others see, than that it stands there for good.
    if (blocked > data.standstillMs) process.kill(process.pid, 'SIGKILL');
    const all = performance.now() >= renewAllAtMs;
    try {
      await Promise.all([beatOnce(blocked), renew(all)]);
      if (all) renewAllAtMs = performance.now() + data.lockMs / 4;
    } catch (error) {
      // Redis is away or refuses, which the worker itself notices and tells; a connection that hangs is opened anew.
      if (error instanceof Error && /timed out/i.test(error.message)) redis.disconnect(true);
    }
    await pause(data.beatMs);
  }
}

void beat();
