/** How long to wait before the next attempt to connect. */

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** Milliseconds before reconnect attempt `times` (from 1): doubling from 50 ms to 2 s, with up to a fifth of jitter. */
export function retryDelayMs(times: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10), LONGEST_RETRY_MS);
  return Math.round(base * (1 + random() / 5));
}
