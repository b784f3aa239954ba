/** When silence is taken for death, and when only for an outage that everybody had. */
import { describe, expect, it } from 'vitest';
import { createDeathWatch } from '../../src/jobs/death-watch.js';

const SILENCE_MS = 10_000;
/** Silence, and the time that everybody has to connect again. */
const TRUST_MS = 13_000;

function setup() {
  const state = { nowMs: 1_000_000, silent: ['w1'], claimed: false, isAway: false };
  const recovered: string[] = [];
  const watch = createDeathWatch({
    finder: 'me',
    silenceMs: SILENCE_MS,
    now: () => state.nowMs,
    presence: {
      async silent() {
        if (state.isAway) throw new Error('away');
        return state.silent;
      },
      claim: async () => !state.claimed,
    },
    async recover(workerId) {
      recovered.push(workerId);
    },
  });
  return {
    state,
    recovered,
    watch,
    /** Looks as often as a watch does, for so long. */
    async lookFor(ms: number) {
      for (let passedMs = 0; passedMs < ms; passedMs += watch.everyMs) {
        state.nowMs += watch.everyMs;
        await watch.look().catch(() => []);
      }
    },
  };
}

describe('a watch for dead workers', () => {
  it('takes nobody for dead before it could have heard a beat', async () => {
    const { lookFor, recovered } = setup();
    await lookFor(TRUST_MS - 2_000);
    expect(recovered).toEqual([]);
    await lookFor(4_000);
    expect(recovered).toContain('w1');
  });

  it('gives everybody time to beat again after Redis was away', async () => {
    const { state, lookFor, recovered } = setup();
    state.silent = [];
    await lookFor(60_000);
    state.isAway = true;
    state.silent = ['w1'];
    await lookFor(30_000);
    state.isAway = false;
    await lookFor(TRUST_MS - 2_000);
    expect(recovered).toEqual([]);
    await lookFor(4_000);
    expect(recovered).toContain('w1');
  });

  it.each([
    ['slept for an hour', 3_600_000],
    ['had its clock set back', -3_600_000],
  ])('does the same when its machine %s', async (_, jumpMs) => {
    const { state, watch, lookFor, recovered } = setup();
    state.silent = [];
    await lookFor(60_000);
    state.nowMs += jumpMs;
    state.silent = ['w1'];
    await watch.look();
    await lookFor(TRUST_MS - 2_000);
    expect(recovered).toEqual([]);
  });

  it('leaves to somebody else whom that one has claimed', async () => {
    const { state, lookFor, recovered } = setup();
    state.claimed = true;
    await lookFor(60_000);
    expect(recovered).toEqual([]);
  });

  it('finds a dead worker well within the time that others have to wait for its jobs', () => {
    expect(SILENCE_MS + 1.1 * setup().watch.everyMs).toBeLessThan(20_000);
  });
});
