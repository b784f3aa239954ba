import { defineConfig } from 'vitest/config';

/** Suites that start and kill whole processes: they run after all others, two at a time, so that what they wait for comes in time. */
const PROCESS_HEAVY = ['test/chaos/**/*.test.ts'];
const ALL = ['test/**/*.test.ts'];

/** Given to each project by hand: one that extends the root would run the global setup, hence the build, once more. */
const LIMITS = { pool: 'forks', testTimeout: 30_000, hookTimeout: 60_000, retry: 0 } as const;

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    reporters: ['default', './test/support/plain-summary.ts'],
    // Most suites wait for processes of their own: three at a time keep two cores busy.
    maxWorkers: 3,
    projects: [
      { test: { ...LIMITS, name: 'light', include: ALL, exclude: PROCESS_HEAVY, sequence: { groupOrder: 0 } } },
      { test: { ...LIMITS, name: 'heavy', include: PROCESS_HEAVY, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
