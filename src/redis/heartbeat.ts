/** Tells a server that answers from one that only keeps its connections: stopped, paused, swamped, or cut off silently. */
import type { Redis } from 'ioredis';
import { settlesFairlyWithin } from '../core/lifecycle.js';
import { troubleOf } from './troubles.js';

/** An answer of the last second says enough. */
const FRESH_MS = 1_000;

/**
 * Whether the server answers within `limitMs`. A connection that is not ready counts as answering: its commands fail at
 * once, each with its own reason.
 */
export function createHeartbeat(redis: Redis): (limitMs: number) => Promise<boolean> {
  let lastAnswerMs = 0;
  let beat: Promise<unknown> | undefined;
  const ask = async (): Promise<void> => {
    const silent = await redis.ping().then(
      () => false,
      // A refusal is an answer, and a lost connection speaks for itself.
      (error: unknown) => troubleOf(error).code === 'silent',
    );
    if (!silent) lastAnswerMs = Date.now();
    beat = undefined;
  };
  return async (limitMs) => {
    if (redis.status !== 'ready' || Date.now() - lastAnswerMs < FRESH_MS) return true;
    beat ??= ask();
    return settlesFairlyWithin(beat, limitMs);
  };
}

/** Milliseconds that the server takes to answer; rejects while it is away. */
export async function roundTripMs(redis: Redis): Promise<number> {
  const askedMs = performance.now();
  await redis.ping();
  return performance.now() - askedMs;
}
