/** What the fakes of one test share: jobs, listeners and a connection that can be cut; knows nothing of queues. */
import { AppError } from '../../../src/core/errors.js';
import type { JobEvent, Progress, StoredEvent } from '../../../src/core/events.js';
import type { HandOff } from '../../../src/core/hand-off.js';
import type { JobId } from '../../../src/core/ids.js';
import type { Input } from '../../../src/core/input.js';
import { type AttemptFault, isFinal, type JobSeed, type JobState, type Outcome } from '../../../src/core/job.js';
import type { JsonValue } from '../../../src/core/json.js';
import type { FencedWrite, Wake } from '../../../src/core/ports.js';
import type { Row } from '../../../src/core/table.js';
import { DEFAULT_RETENTION, type Retention } from '../../../src/redis/context.js';

/** One job as the fakes hold it; the fields mirror the record on Redis. */
export interface MemoryJob {
  seed: JobSeed;
  state: JobState;
  attempt: number;
  crashes: number;
  faults: AttemptFault[];
  progress?: Progress;
  startedAtMs?: number;
  endedAtMs?: number;
  expiresAtMs?: number;
  workerId?: string;
  handOff?: HandOff;
  awaits?: 'client' | 'parts';
  run?: string;
  runAtMs?: number;
  lost?: { run: string; startedAtMs: number };
  /** When the record is forgotten. */
  keptUntilMs: number;
}

/** What a job in line waits for. */
export interface MemoryWish {
  readonly id: JobId;
  readonly key: string;
  readonly tokens: number;
  readonly limit: number;
}

/** The budget of one session; the fields of reservations are `id key`. */
export interface MemoryBudget {
  used: number;
  readonly reserved: Map<string, number>;
  readonly settled: Set<string>;
  line: MemoryWish[];
}

/** A section of a job's tables: its slices by the place they are read at. */
export interface MemorySection {
  columns: readonly string[];
  readonly slices: Map<string, { readonly rows: readonly Row[]; readonly fits: boolean; readonly bytes: number }>;
}

/** How calls fare: answered, refused at once, or never answered until the connection is mended. */
export type Connection = 'up' | 'refusing' | 'hanging';

/** The shared memory; the maps are by job id and are read by tests that look behind a port. */
export interface Memory {
  readonly retention: Retention;
  readonly jobs: Map<string, MemoryJob>;
  readonly events: Map<string, StoredEvent[]>;
  readonly outcomes: Map<string, Outcome>;
  readonly journals: Map<string, Map<string, JsonValue>>;
  readonly inputs: Map<string, Map<string, Input>>;
  readonly tables: Map<string, Map<string, MemorySection>>;
  /** Units done by each part of a job. */
  readonly parts: Map<string, Map<string, number>>;
  /** By session. */
  readonly budgets: Map<string, MemoryBudget>;
  readonly listeners: Map<string, Set<(wake: Wake) => void>>;
  readonly claims: Map<string, { readonly id: string; readonly argsFingerprint: string }>;
  /** Every method of a port passes here first: rejects with `queue_unavailable` or waits while the connection is cut. */
  reach(): Promise<void>;
  /** Cuts or mends the connection; mending tells every listener to look again. */
  connection(state: Connection): void;
  now(): number;
  live(id: string): MemoryJob | undefined;
  emit(id: string, event: JobEvent, cap?: number): void;
  wake(id: string, wake: Wake): void;
}

/** Builds an empty memory. `now` is the wall clock unless given. */
export function createMemory(retention: Partial<Retention> = {}, now: () => number = Date.now): Memory {
  const jobs: Memory['jobs'] = new Map();
  const events: Memory['events'] = new Map();
  const listeners: Memory['listeners'] = new Map();
  let cursor = 0;
  const wake = (id: string, word: Wake) => {
    for (const listener of listeners.get(id) ?? []) listener(word);
  };
  const cut = createCut(() => {
    for (const id of listeners.keys()) wake(id, 'resync');
  });
  return {
    retention: { ...DEFAULT_RETENTION, ...retention },
    jobs,
    events,
    outcomes: new Map(),
    journals: new Map(),
    inputs: new Map(),
    tables: new Map(),
    parts: new Map(),
    budgets: new Map(),
    listeners,
    claims: new Map(),
    ...cut,
    now,
    live(id) {
      const job = jobs.get(id);
      return job && job.keptUntilMs > now() ? job : undefined;
    },
    emit(id, event, cap) {
      const stored = events.get(id) ?? [];
      cursor += 1;
      stored.push({ cursor: `${cursor}-0`, atMs: now(), event: jsonCopy(event) });
      if (cap !== undefined) stored.splice(0, Math.max(0, stored.length - cap));
      events.set(id, stored);
    },
    wake,
  };
}

/** What a stored value looks like when it is read back. */
export function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Whether `run` may still write to its job, by the rules of the scripts on Redis. */
export function fence(job: MemoryJob | undefined, run: string): FencedWrite {
  if (!job || isFinal(job.state)) return 'ended';
  return job.run === run ? 'written' : 'superseded';
}

function createCut(onMended: () => void): Pick<Memory, 'reach' | 'connection'> {
  let state: Connection = 'up';
  let waiting: (() => void)[] = [];
  return {
    async reach() {
      if (state === 'refusing')
        throw new AppError('queue_unavailable', 'The job queue is unavailable: the test cut it.');
      if (state === 'hanging') await new Promise<void>((resolve) => waiting.push(resolve));
    },
    connection(next) {
      state = next;
      if (next !== 'up') return;
      for (const go of waiting) go();
      waiting = [];
      onMended();
    },
  };
}
