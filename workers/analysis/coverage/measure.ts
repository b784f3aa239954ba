/** Measures how much of a tree its tests cover, by the reports found in it. The entry of this folder. */
import { isOutOfMemory, metricEntry, runMetric } from '../metric-host.js';
import type { CoverageResult } from './coverage.js';

export type {
  CoverageFormat,
  CoverageReportFile,
  CoverageResult,
  FileCoverage,
  FormatCoverage,
  LineCounts,
} from './coverage.js';

/** After a try that ran out of memory the limits of size shrink by this, a few times. */
const SMALLER = 8;
const SMALLEST_SHARE = 1 / 1000;

/** What to measure. */
export interface CoverageOptions {
  /** The absolute real path of a folder. */
  readonly root: string;
  /** The files of the tree as `listFiles` yields them: what reports may cover. Reports are found though git ignores them. */
  readonly files: readonly string[];
  /** On abort the promise rejects with its reason, at once. */
  readonly signal: AbortSignal;
  /** Hears of each report that is done. */
  readonly onProgress?: ((progress: CoverageProgress) => void) | undefined;
}

/** How far the metric is. */
export interface CoverageProgress {
  readonly phase: 'coverage';
  readonly done: number;
  readonly total: number;
}

/**
 * Reads all coverage reports of a tree. No content of any of them makes this fail: what cannot be read is named in
 * `problems`. Runs no tool and no test. Runs in a thread of its own.
 */
export function measureCoverage(options: CoverageOptions): Promise<CoverageResult> {
  return measureWithin(options, 1);
}

async function measureWithin(options: CoverageOptions, share: number): Promise<CoverageResult> {
  const { root, files, signal, onProgress } = options;
  try {
    return await runMetric<CoverageResult>({
      entry: metricEntry(import.meta.url),
      request: { root, files, share },
      signal,
      onProgress: (done, total) => onProgress?.({ phase: 'coverage', done, total }),
    });
  } catch (error) {
    if (!isOutOfMemory(error) || share < SMALLEST_SHARE) throw error;
    return measureWithin(options, share / SMALLER);
  }
}
