/** A short chaos run with a fixed seed; `npm run chaos` makes long ones with any. */
import { expect, it } from 'vitest';
import { runChaos } from './runner/chaos.js';
import { planJobs } from './runner/plan.js';
import { createRandom } from './runner/random.js';
import { verdictOf } from './runner/report.js';

const SEED = 8;
const JOBS = 32;

it('jobs of every kind end once, as they do undisturbed, whatever is killed and stopped meanwhile', async () => {
  const findings = await runChaos({ seed: SEED, jobs: JOBS, lanes: 8, gapJobs: 4, minutes: 4, say: () => undefined });
  expect(findings.wrongs).toEqual([]);
  expect(verdictOf(findings)).toContain(`chaos: PASSED (seed ${SEED}, ${JOBS} jobs, `);
  // A run that nothing befell proves nothing.
  expect(new Set(findings.faults.map(({ kind }) => kind)).size).toBeGreaterThan(3);
  expect(new Set(findings.witnesses.map(({ job }) => job.kind)).size).toBeGreaterThan(9);
}, 420_000);

it('a seed stands for the same jobs and draws every time, and another for others', () => {
  expect(planJobs(SEED, 200, 3)).toEqual(planJobs(SEED, 200, 3));
  expect(planJobs(SEED, 200, 3)).not.toEqual(planJobs(SEED + 1, 200, 3));
  const draws = (seed: number) => Array.from({ length: 20 }, createRandom(seed, 'faults').next);
  expect(draws(SEED)).toEqual(draws(SEED));
  expect(new Set([...draws(SEED), ...draws(SEED + 1)]).size).toBe(40);
});
