import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites that kill processes and wait for others to take over: they run after all others, so that what they wait for comes in time. */
const PROCESS_KILLING = ['test/chaos/**/*.test.ts'];
const ALL = ['test/**/*.test.ts'];

/**
 * Given to each project by hand: one that extends the root would run the global setup, hence the build, once more. The limits are for
 * what says nothing of itself: whoever waits in a test gives up before, with what was seen.
 */
const LIMITS = { pool: 'forks', testTimeout: 120_000, hookTimeout: 120_000, retry: 0 } as const;

/** Begun last, as small files are where nobody knows yet how long each takes, they would run on alone when all others are done. */
const LONG = ['test/chaos/chaos.test.ts', 'test/fuzz/fuzz.test.ts'];

/** Begins with the files that take longest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((path) => moduleId.endsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    reporters: ['default', './test/support/plain-summary.ts'],
    // Most suites also wait for processes of their own: three at a time keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...LIMITS, name: 'working', include: ALL, exclude: PROCESS_KILLING, sequence: { groupOrder: 0 } } },
      // With four at a time the cores are still idle for half of the time.
      { test: { ...LIMITS, name: 'waiting', include: PROCESS_KILLING, maxWorkers: 4, sequence: { groupOrder: 1 } } },
    ],
  },
});
