/** Builds what a handler sees while it runs: progress, logs, steps, questions and the signal of its run. */
import { NO_ABILITIES } from '../src/core/input.js';
import type { JobSeed } from '../src/core/job.js';
import type { JsonObject, JsonValue } from '../src/core/json.js';
import type { FolderClaims, StepJournal, TableStore } from '../src/core/ports.js';
import type { TableRows } from '../src/core/table.js';
import type { HandlerContext } from '../src/core/tool.js';
import { createAsking } from './asking.js';
import { createFanOut, type FanOutParts } from './fan-out.js';
import { fencedOrThrow, notOurs } from './fenced.js';
import type { RunPolicy } from './policy/policy.js';
import type { Questions } from './questions.js';
import type { Reporter } from './reporter.js';

/** What a context is made of. */
export interface ContextParts extends Pick<FanOutParts, 'mailbox' | 'store' | 'queue' | 'tracer' | 'span'> {
  readonly seed: JobSeed;
  readonly attempt: number;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  readonly journal: StepJournal;
  readonly folders: FolderClaims;
  readonly tables: TableStore;
  readonly policy: RunPolicy;
  readonly questions: Questions;
  /** Steps finished by earlier runs, as read when this run began. */
  readonly finished: ReadonlyMap<string, JsonValue>;
  /** Parses a result as the contract has it, without secrets; rejects if it does not fit. */
  handedOver(output: unknown): Promise<JsonObject>;
  /** Takes secrets out of rows where the tool's results are to have none. */
  storableRows(rows: TableRows): Promise<TableRows>;
}

/**
 * Builds the context. While steps or questions of an earlier run are still to be passed, progress and logs are held back:
 * they were reported then, and a replay is silent.
 */
export function createContext(parts: ContextParts): HandlerContext {
  const { seed, reporter, signal, questions } = parts;
  const ahead = new Set(parts.finished.keys());
  const replaying = () => ahead.size > 0 || questions.unvisited.size > 0;
  const client = seed.client ?? NO_ABILITIES;
  return {
    jobId: seed.id,
    principal: seed.principal,
    attempt: parts.attempt,
    signal,
    allowedFolders: seed.allowedFolders,
    client,
    progress: (progress) => {
      if (!replaying() && !signal.aborted) reporter.progress(progress);
    },
    log: (level, data) => {
      if (!replaying() && !signal.aborted) reporter.log(level, seed.tool, data);
    },
    ...createAsking({
      client,
      policy: parts.policy,
      handedOver: parts.handedOver,
      ask: (asked) => {
        signal.throwIfAborted();
        return questions.ask(asked);
      },
    }),
    fanOut: createFanOut(parts),
    step: createSteps(parts, ahead),
    async table(section, rows, slice = 0) {
      signal.throwIfAborted();
      const done = questions.busy();
      try {
        const written = { ...section, slice, rows: await parts.storableRows(rows) };
        fencedOrThrow(await parts.tables.write(seed.id, parts.run, written, seed.partOf));
      } finally {
        done();
      }
    },
    sections: () => parts.tables.sections(seed.id).finally(questions.busy()),
    async claimFolder(folder) {
      signal.throwIfAborted();
      const done = questions.busy();
      const claim = await parts.folders.claim(seed.id, parts.run, folder).finally(done);
      if (claim.kind === 'ended' || claim.kind === 'superseded') throw notOurs(claim.kind);
      return claim.kind === 'taken' ? claim : { kind: 'held' };
    },
  };
}

function createSteps(parts: ContextParts, ahead: Set<string>): HandlerContext['step'] {
  const used = new Set<string>();
  return async <T extends JsonValue>(key: string, fn: () => Promise<T>): Promise<T> => {
    parts.signal.throwIfAborted();
    if (used.has(key))
      throw new Error(`step ${JSON.stringify(key)} was used twice in one run; keys name one step each`);
    used.add(key);
    const journaled = parts.finished.get(key);
    if (journaled !== undefined) {
      ahead.delete(key);
      // The journal holds what an earlier run of this same step returned.
      return journaled as T;
    }
    // Past here the run does new work; steps of the earlier run that are not asked for again stay unasked.
    ahead.clear();
    const done = parts.questions.busy();
    try {
      const value = asJournaled(await fn());
      await journalStep(parts, key, value);
      return value as T;
    } finally {
      done();
    }
  };
}

/**
 * The value as a later run will read it, so that the first run goes on with the same. A tool in plain JavaScript may return
 * what JSON cannot hold: nothing at all becomes null, a date its text.
 */
function asJournaled(value: JsonValue | undefined): JsonValue {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

async function journalStep(parts: ContextParts, key: string, value: JsonValue): Promise<void> {
  fencedOrThrow(await parts.journal.write(parts.seed.id, parts.run, key, value));
}
