/** Passes a job on to other workers when this one cannot see a path that the job is to read. */
import { lstat } from 'node:fs/promises';
import { AppError } from '../src/core/errors.js';
import type { JobSeed } from '../src/core/job.js';
import type { Verdict } from '../src/core/ports.js';
import type { ToolContract } from '../src/core/tool.js';
import type { ExecutorDeps } from './run-context.js';

/** What this worker is to do with a job: run it, follow a verdict without having run it, or fail it. */
export type Sight =
  | { readonly kind: 'run' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'nobody'; readonly error: AppError };

/** What the search for other workers stands on. */
export type SightDeps = Pick<ExecutorDeps, 'peers' | 'passes' | 'workerId' | 'logger'>;

const FIRST_WAIT_MS = 100;
/** A job that only a busy worker can do comes by those that cannot do it no more often than this. */
const LONGEST_WAIT_MS = 5_000;

/** How a path is missing where a mount is absent, or there but cut off from its server. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN']);

/**
 * Looks for the paths of a job before it begins, so that no attempt is spent. The front end saw them all, so a worker that
 * does not is on another machine; the job waits for one that does, without a slot, and fails when no worker there is has
 * not been asked. A job that ran before is run on: it may be past reading.
 */
export async function seePaths(deps: SightDeps, seed: JobSeed, contract: ToolContract): Promise<Sight> {
  const missing = await firstMissing(pathsOf(seed, contract));
  if (missing === undefined) return { kind: 'run' };
  const shown = JSON.stringify(seed.given?.[missing] ?? missing);
  const { workerId, logger, passes } = deps;
  const peers = await deps.peers(seed.queue);
  const data = `A worker cannot see ${shown}, so the job is passed on to the others.`;
  // Nobody reads the log of a part.
  const event = seed.partOf ? {} : { event: { type: 'log', level: 'warning', logger: 'longhaul', data } as const };
  const passing = await passes.pass(seed.id, { workerId, peers, ...event });
  switch (passing.kind) {
    case 'ended':
      return { kind: 'verdict', verdict: { kind: 'done' } };
    case 'passed':
      logger.info({ jobId: seed.id, times: passing.times }, 'a job names a path that cannot be seen here; passed on');
      return { kind: 'verdict', verdict: { kind: 'delay', untilMs: Date.now() + waitMs(passing.times) } };
    case 'nobody':
      return passing.begun ? { kind: 'run' } : { kind: 'nobody', error: invisible(shown, passing.asked) };
    default:
      return passing satisfies never;
  }
}

/** The paths that a contract says its jobs read, as the front end resolved them. */
function pathsOf({ args }: JobSeed, { pathArgument, fileArguments = [] }: ToolContract): string[] {
  const names = [...(pathArgument === undefined ? [] : [pathArgument]), ...fileArguments];
  const values = names.flatMap((name) => args[name] ?? []);
  return values.filter((value): value is string => typeof value === 'string' && value.startsWith('/'));
}

async function firstMissing(paths: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(paths.map(isMissing));
  return paths.find((_, index) => found[index]);
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    return MISSING.has((error as NodeJS.ErrnoException).code);
  }
}

/** Doubles, with some jitter: the same worker may be the one that is free again. */
function waitMs(times: number): number {
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(times - 1, 10));
  return Math.round(waitMs * (1 + Math.random() / 2));
}

function invisible(shown: string, asked: number): AppError {
  const who = asked === 1 ? 'The only worker there is' : `None of the ${asked} workers there are`;
  const verb = asked === 1 ? 'cannot' : 'can';
  return new AppError(
    'path_not_visible',
    `${who} ${verb} see ${shown}, though the server could when you called. It may be gone by now; if it is there, workers must ` +
      'have the same folders at the same paths as the server: tell the operator.',
  );
}
