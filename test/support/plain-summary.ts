/** A Vitest reporter whose only duty is the run's very last line: `N passed, N failed[, N skipped]`. */
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node';

/** How many tests ended in which way. */
export type Tally = { passed: number; failed: number; skipped: number };

/** Counts tests, and as a failure each suite whose file or hook broke and each error that no test caught. */
export function tally(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Tally {
  const count: Tally = { passed: 0, failed: unhandled.length, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test still pending when the run ends never gave an answer: that is no success.
      count[state === 'pending' ? 'failed' : state] += 1;
    }
    const suites: Iterable<TestModule | TestSuite> = [module, ...module.children.allSuites()];
    for (const suite of suites) count.failed += suite.errors().length > 0 ? 1 : 0;
  }
  return count;
}

/** The line itself; the skipped are named only when there are any. */
export function summaryLine(count: Tally): string {
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  return `${count.passed} passed, ${count.failed} failed${skipped}`;
}

/** Prints at process exit, after every other reporter and after a global setup or teardown that failed. */
export default class PlainSummary implements Reporter {
  private count: Tally = { passed: 0, failed: 0, skipped: 0 };

  onInit(): void {
    process.once('exit', (code) => {
      const failedElsewhere = code !== 0 && this.count.failed === 0;
      if (this.count.failed > 0) process.exitCode = 1;
      process.stdout.write(`${summaryLine(failedElsewhere ? { ...this.count, failed: 1 } : this.count)}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.count = tally(modules, unhandled);
  }
}
