/** An executor over fakes: deliveries as a consumer would make them, and everything it logged. */
import { type JobEvent, LOG_START } from '../../src/core/events.js';
import type { JobId } from '../../src/core/ids.js';
import type { JobRecord, JobSeed, Outcome } from '../../src/core/job.js';
import type { Delivery, Verdict } from '../../src/core/ports.js';
import type { Handler, ToolLimits } from '../../src/core/tool.js';
import { createLogger } from '../../src/logger.js';
import type { Retention } from '../../src/redis/context.js';
import { createExecutor } from '../../workers/executor.js';
import { ALONE } from '../support/alone.js';
import { createFakeCore, type FakeCore } from '../support/fakes/fake-core.js';
import { within } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { policyOver } from '../support/policy.js';
import { echoContract } from '../support/tools.js';

/** What a test may choose. */
export interface BenchOptions {
  readonly handler: Handler;
  readonly limits?: Partial<ToolLimits>;
  readonly retention?: Partial<Retention>;
}

/** A delivered job. */
export interface Delivered {
  /** Waits for the verdict. */
  verdict(limitMs?: number): Promise<Verdict>;
  /** Tells the run that the queue gave its job away. */
  lose(): void;
}

/** An executor under test. */
export interface Bench {
  readonly core: FakeCore;
  /** What the process logged, one object a line. */
  readonly logged: readonly { msg?: string; level?: number }[];
  /** Creates a job of the echo tool. */
  job(overrides?: Partial<JobSeed>): Promise<JobSeed>;
  deliver(seed: unknown): Delivered;
  /** The executor itself, for a consumer. */
  execute(delivery: Delivery): Promise<Verdict>;
  shutDown(): void;
  record(id: JobId): Promise<JobRecord | undefined>;
  outcome(id: JobId): Promise<Outcome | undefined>;
  events(id: JobId): Promise<JobEvent[]>;
}

/** Builds an executor of worker `w1` that knows the echo tool with the given handler. */
export function setup(options: BenchOptions): Bench {
  const core = createFakeCore(options.retention);
  const logged: { msg?: string; level?: number }[] = [];
  const logger = createLogger('test', 'debug', { write: (line) => logged.push(JSON.parse(line)) });
  const shutdown = new AbortController();
  const { store, log, journal, mailbox, queue, folders, tables, redactor } = core;
  const tools = new Map([['echo', { contract: echoContract(options.limits), handler: options.handler }]]);
  const execute = createExecutor({
    ...ALONE,
    policy: policyOver(core),
    ...{ store, log, journal, mailbox, queue, folders, tables, redactor, tools, logger },
    workerId: 'w1',
    inputTimeoutMs: 60_000,
    submissionTimeoutMs: 60_000,
    shutdown: shutdown.signal,
  });
  return {
    core,
    logged,
    execute,
    async job(overrides) {
      const seed = seedOf(overrides);
      await store.create(seed);
      return seed;
    },
    deliver(seed) {
      const lost = new AbortController();
      const id = String((seed as { id?: unknown } | null)?.id ?? '');
      const verdict = execute({ id, seed, lost: lost.signal });
      return {
        verdict: (limitMs = 15_000) => within(verdict, { what: 'the verdict', limitMs, seen: () => logged }),
        lose: () => lost.abort(),
      };
    },
    shutDown: () => shutdown.abort(),
    record: (id) => store.get(id),
    outcome: (id) => store.outcome(id),
    events: async (id) => (await log.read(id, LOG_START, 100_000)).map((stored) => stored.event),
  };
}
