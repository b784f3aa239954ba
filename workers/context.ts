/** Builds what a handler sees while it runs: progress, logs, steps and the signal of its run. */
import { AbortReason } from '../src/core/abort.js';
import type { JobSeed } from '../src/core/job.js';
import type { JsonValue } from '../src/core/json.js';
import type { StepJournal } from '../src/core/ports.js';
import type { HandlerContext } from '../src/core/tool.js';
import type { Reporter } from './reporter.js';

/** What a context is made of. */
export interface ContextParts {
  readonly seed: JobSeed;
  readonly attempt: number;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  readonly journal: StepJournal;
  /** Steps finished by earlier runs, as read when this run began. */
  readonly finished: ReadonlyMap<string, JsonValue>;
}

/**
 * Builds the context. While steps of an earlier run are still to be passed, progress and logs are held back:
 * they were reported then, and a replay is silent.
 */
export function createContext(parts: ContextParts): HandlerContext {
  const { seed, reporter, signal } = parts;
  const ahead = new Set(parts.finished.keys());
  const open = new Set<string>();
  return {
    jobId: seed.id,
    principal: seed.principal,
    attempt: parts.attempt,
    signal,
    allowedFolders: seed.allowedFolders,
    progress: (progress) => {
      if (ahead.size === 0 && !signal.aborted) reporter.progress(progress);
    },
    log: (level, data) => {
      if (ahead.size === 0 && !signal.aborted) reporter.log(level, seed.tool, data);
    },
    async step<T extends JsonValue>(key: string, fn: () => Promise<T>): Promise<T> {
      signal.throwIfAborted();
      if (open.has(key))
        throw new Error(`step ${JSON.stringify(key)} was used twice in one run; keys name one step each`);
      open.add(key);
      const journaled = parts.finished.get(key);
      if (journaled !== undefined) {
        ahead.delete(key);
        // The journal holds what an earlier run of this same step returned.
        return journaled as T;
      }
      // Past here the run does new work; steps of the earlier run that are not asked for again stay unasked.
      ahead.clear();
      const value = await fn();
      await journalStep(parts, key, value);
      return value;
    },
  };
}

async function journalStep(parts: ContextParts, key: string, value: JsonValue): Promise<void> {
  const written = await parts.journal.write(parts.seed.id, parts.run, key, value);
  if (written === 'written') return;
  throw new AbortReason(written === 'ended' ? 'cancelled' : 'superseded', 'the job no longer belongs to this run');
}
