/** What one run of a job stands on, and how it hears that its job may have ended. */
import type { JobSeed } from '../src/core/job.js';
import type { JsonObject } from '../src/core/json.js';
import type { Passes } from '../src/core/pass-on.js';
import type {
  EventLog,
  FolderClaims,
  InputMailbox,
  JobQueue,
  JobStore,
  StepJournal,
  TableStore,
} from '../src/core/ports.js';
import type { JsonRedactor } from '../src/core/redaction.js';
import type { Tool } from '../src/core/tool.js';
import type { Totals } from '../src/core/totals.js';
import type { Span, Tracer } from '../src/core/tracing.js';
import type { Logger } from '../src/logger.js';
import type { RunPolicy, SamplingPolicy } from './policy/policy.js';
import type { Waiting } from './questions.js';

/** What an executor stands on. */
export interface ExecutorDeps {
  readonly store: JobStore;
  readonly log: EventLog;
  readonly journal: StepJournal;
  readonly mailbox: InputMailbox;
  readonly folders: FolderClaims;
  readonly tables: TableStore;
  /** What a client may read of a run passes it: progress, logs and errors. */
  readonly redactor: JsonRedactor;
  readonly queue: Pick<JobQueue, 'add' | 'promote'>;
  /** Milliseconds a client has to answer a question. */
  readonly inputTimeoutMs: number;
  /** Milliseconds a job that was handed over waits, unless its handler says. */
  readonly submissionTimeoutMs: number;
  readonly policy: SamplingPolicy;
  /** Counts how long a cancelled job went on. */
  readonly totals: Pick<Totals, 'letGo'>;
  readonly tracer: Tracer;
  /** Notes which workers cannot see what a job reads. */
  readonly passes: Passes;
  /** Ids of the workers that take jobs of a queue now. */
  peers(queue: string): Promise<readonly string[]>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly workerId: string;
  readonly logger: Logger;
  /** Aborts when this process stops: jobs are handed back. */
  readonly shutdown: AbortSignal;
}

/** What a run came to: a result, the error that ended it, or what it waits for. */
export type RunResult = JsonObject | Error | Parked;

/** A run that ended to wait for answers; its job is run again when there is one, or at the earliest deadline. */
export class Parked {
  readonly waiting: Waiting;

  constructor(waiting: Waiting) {
    this.waiting = waiting;
  }
}

/** One run of one job. */
export interface RunContext {
  readonly deps: ExecutorDeps;
  readonly seed: JobSeed;
  readonly tool: Tool;
  /** What this run may ask of the client's model. */
  readonly policy: RunPolicy;
  /** Fences this run's writes. */
  readonly run: string;
  readonly attempt: number;
  /** Whether earlier runs left steps or questions. */
  readonly resumes: boolean;
  /** Aborts when the queue gave the job to somebody else. */
  readonly lost: AbortSignal;
  readonly wakes: Wakes;
  /** What the run begins belongs to it. */
  readonly span: Span;
}

/** Wake-ups heard since the run was announced, and whoever wants to hear them. */
export interface Wakes {
  hear(wake: 'event' | 'ended' | 'resync'): void;
  /** Calls back at once if the job may have ended already, and whenever it may. */
  onMayHaveEnded(listener: () => void): void;
}

/** Builds the wake-ups of one run. */
export function createWakes(): Wakes {
  let heard = false;
  let listener: (() => void) | undefined;
  return {
    hear(wake) {
      if (wake === 'event') return;
      heard = true;
      listener?.();
    },
    onMayHaveEnded(wanted) {
      listener = wanted;
      if (heard) wanted();
    },
  };
}
