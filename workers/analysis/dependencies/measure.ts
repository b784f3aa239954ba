/** Measures what a tree depends on, by its manifests and lock files. The entry of this folder. */
import { isOutOfMemory, metricEntry, runMetric } from '../metric-host.js';
import type { CollectRequest } from './collect.js';
import type { DependencyReport } from './dependency.js';

export type { Problem } from '../formats/problem.js';
export type {
  DeclarationPlace,
  Dependency,
  DependencyFile,
  DependencyReport,
  Duplicate,
  Ecosystem,
  EcosystemCounts,
  Scope,
} from './dependency.js';

/** The largest manifests and lock files in the wild have about half of these. */
const DEFAULT_LIMITS = { maxManifestBytes: 4 * 1024 * 1024, maxLockBytes: 24 * 1024 * 1024 };
/** By how much the limits shrink after a try that ran out of memory, and where that ends. */
const SMALLER = 8;
const SMALLEST_BYTES = 64 * 1024;

/** What to measure. */
export interface DependencyOptions {
  /** The absolute real path of a folder. */
  readonly root: string;
  /** The files of the tree as `listFiles` yields them; besides, lock files in the folders of manifests and above are found, which listings class as generated. */
  readonly files: readonly string[];
  /** On abort the promise rejects with its reason, at once. */
  readonly signal: AbortSignal;
  /** Hears of each manifest and lock file that is done. */
  readonly onProgress?: ((progress: DependencyProgress) => void) | undefined;
  /** Larger manifests are named as problems and not read. Default 4 MiB. */
  readonly maxManifestBytes?: number | undefined;
  /** Larger lock files likewise. Default 24 MiB. */
  readonly maxLockBytes?: number | undefined;
}

/** How far the metric is. */
export interface DependencyProgress {
  readonly phase: 'dependencies';
  readonly done: number;
  readonly total: number;
}

/**
 * Reads all manifests and lock files among the files. No content of any of them makes this fail: what cannot be read is
 * named in `problems`. Runs in a thread of its own.
 */
export async function measureDependencies(options: DependencyOptions): Promise<DependencyReport> {
  const { root, files } = options;
  const request: CollectRequest = {
    root,
    files,
    maxManifestBytes: options.maxManifestBytes ?? DEFAULT_LIMITS.maxManifestBytes,
    maxLockBytes: options.maxLockBytes ?? DEFAULT_LIMITS.maxLockBytes,
  };
  return runWithin(options, request);
}

/** Should some file need more memory than there is, the next try leaves the largest out, which it names. */
async function runWithin(options: DependencyOptions, request: CollectRequest): Promise<DependencyReport> {
  try {
    return await run(options, request);
  } catch (error) {
    const { maxManifestBytes, maxLockBytes } = request;
    if (!isOutOfMemory(error) || maxLockBytes < SMALLEST_BYTES) throw error;
    return runWithin(options, {
      ...request,
      maxManifestBytes: maxManifestBytes / SMALLER,
      maxLockBytes: maxLockBytes / SMALLER,
    });
  }
}

function run({ signal, onProgress }: DependencyOptions, request: CollectRequest): Promise<DependencyReport> {
  return runMetric({
    entry: metricEntry(import.meta.url),
    request,
    signal,
    onProgress: (done, total) => onProgress?.({ phase: 'dependencies', done, total }),
  });
}
