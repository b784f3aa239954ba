/** The places a conformance exercise runs on: the fakes, and the real adapters over a Redis that checks for leaked keys. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import type { BullContext } from '../../src/bullmq/options.js';
import { createBullQueue } from '../../src/bullmq/queue.js';
import type { JobId } from '../../src/core/ids.js';
import type {
  BudgetLedger,
  EventLog,
  FolderClaims,
  InputMailbox,
  JobConsumer,
  JobQueue,
  JobStore,
  StepJournal,
  TableStore,
} from '../../src/core/ports.js';
import { createBudgetLedger } from '../../src/redis/budget-ledger.js';
import { closeRedis, connectRedis, type RedisAddress, readyWithin } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION, type RedisContext, type Retention } from '../../src/redis/context.js';
import { createEventLog } from '../../src/redis/event-log.js';
import { createFolderClaims } from '../../src/redis/folder-claims.js';
import { createInputMailbox } from '../../src/redis/input-mailbox.js';
import { createJobStore } from '../../src/redis/job-store.js';
import { createKeys } from '../../src/redis/keys.js';
import { createStepJournal } from '../../src/redis/step-journal.js';
import { createTableStore } from '../../src/redis/table-store.js';
import { createTurns } from '../../src/redis/turns.js';
import { createFakeCore } from './fakes/fake-core.js';
import type { FakeConsumerOptions } from './fakes/job-queue.js';
import { keysBelow, refuseLeaks } from './key-checker.js';
import { type TestRedis, testRedis } from './redis.js';

/** Milliseconds that what is known of a job will still be kept; absent where nothing is kept. */
export interface Lifetimes {
  readonly record?: number;
  readonly events?: number;
  readonly outcome?: number;
  readonly journal?: number;
  readonly inputs?: number;
  readonly tables?: number;
}

/** The ports of one installation, with what a test needs to look behind them. */
export interface Core {
  readonly store: JobStore;
  readonly log: EventLog;
  readonly journal: StepJournal;
  readonly mailbox: InputMailbox;
  readonly ledger: BudgetLedger;
  readonly folders: FolderClaims;
  readonly tables: TableStore;
  readonly queue: JobQueue;
  /** Builds a consumer that is stopped with the core. */
  consumer(options: FakeConsumerOptions): JobConsumer;
  lifetimes(id: JobId): Promise<Lifetimes>;
  /** Makes the record vanish as if its time had come. */
  forget(id: JobId): Promise<void>;
  /** Cuts every connection to the server, by a restart where the test owns it; resolves when it answers again. */
  loseConnections(): Promise<void>;
  /** Calls back first when the installation ends, so that held work can be let go. */
  beforeClose(act: () => void): void;
  /** Ends the installation; throws if it leaves a key that never expires. */
  close(): Promise<void>;
}

/** A kind of installation. */
export interface Place {
  readonly name: string;
  /** Gets ready once for a suite. */
  start(): Promise<Opened>;
}

interface Opened {
  open(retention: Partial<Retention>): Promise<Core>;
  stop(): Promise<void>;
}

/** The fakes and the real thing. */
export const PLACES: readonly Place[] = [
  { name: 'the fake', start: async () => ({ open: async (retention) => openFake(retention), stop: async () => {} }) },
  { name: 'Redis', start: startRedis },
];

/** Opens a fresh installation for each test of the suite and closes it after; call the result to get it. */
export function useCore(place: Place, retention: Partial<Retention> = {}): () => Core {
  let opened: Opened | undefined;
  let core: Core | undefined;
  beforeAll(async () => {
    opened = await place.start();
  });
  beforeEach(async () => {
    core = await opened?.open(retention);
  });
  afterEach(async () => core?.close());
  afterAll(async () => opened?.stop());
  return () => {
    if (!core) throw new Error('the core of this test is not open');
    return core;
  };
}

function openFake(retention: Partial<Retention>): Core {
  const { memory, store, log, journal, mailbox, ledger, folders, tables, queue } = createFakeCore(retention);
  const consumers: JobConsumer[] = [];
  const closers: (() => void)[] = [];
  return {
    beforeClose: (act) => closers.push(act),
    store,
    log,
    journal,
    mailbox,
    ledger,
    folders,
    tables,
    queue,
    consumer: (options) => keep(consumers, queue.consumer(options)),
    async lifetimes(id) {
      const job = memory.live(id);
      if (!job) return {};
      const left = job.keptUntilMs - Date.now();
      return {
        record: left,
        ...(memory.events.has(id) && { events: left }),
        ...(memory.outcomes.has(id) && { outcome: left }),
        ...(memory.journals.has(id) && { journal: left }),
        ...(memory.inputs.has(id) && { inputs: left }),
        ...(memory.tables.has(id) && { tables: left }),
      };
    },
    async forget(id) {
      memory.jobs.delete(id);
    },
    async loseConnections() {
      memory.connection('refusing');
      memory.connection('up');
    },
    async close() {
      for (const act of closers) act();
      await Promise.all(consumers.map((consumer) => consumer.stop(1_000)));
    },
  };
}

async function startRedis(): Promise<Opened> {
  const server = await testRedis();
  return { open: (retention) => openRedis(server, retention), stop: () => server.stop() };
}

/** The server's address as the product's connections take it. */
export function addressOf(server: TestRedis): RedisAddress {
  return 'url' in server.connection ? server.connection : { socketPath: server.connection.path };
}

/** Opens a fresh namespace of a running server. */
export async function openRedis(server: TestRedis, changed: Partial<Retention> = {}): Promise<Core> {
  const address = addressOf(server);
  const redis = connectRedis(address, 'work');
  const subscriber = connectRedis(address, 'subscribe');
  // Whoever listens before it is connected is told to look again once it is.
  await readyWithin(subscriber, 20_000);
  const namespace = `test-${randomUUID()}`;
  const keys = createKeys(namespace);
  const retention = { ...DEFAULT_RETENTION, ...changed };
  const context = { redis, keys, retention };
  const bull = bullOver(context);
  const queue = createBullQueue(bull, ['analysis', 'review']);
  const consumers: JobConsumer[] = [];
  const closers: (() => void)[] = [];
  const scope = { redis, base: `{${namespace}}`, queuePrefix: keys.queuePrefix };
  return {
    beforeClose: (act) => closers.push(act),
    store: createJobStore(context),
    log: createEventLog(context, subscriber),
    journal: createStepJournal(context),
    mailbox: createInputMailbox(context),
    ledger: createBudgetLedger(context),
    folders: createFolderClaims(context),
    tables: createTableStore(context),
    queue,
    consumer: (options) => keep(consumers, createBullConsumer(bull, options)),
    async lifetimes(id) {
      const names = {
        record: keys.record(id),
        events: keys.events(id),
        outcome: keys.outcome(id),
        journal: keys.journal(id),
        inputs: keys.inputs(id),
        tables: keys.tables(id),
      };
      const found = await Promise.all(
        Object.entries(names).map(async ([name, key]): Promise<[string, number]> => [name, await redis.pttl(key)]),
      );
      return Object.fromEntries(found.filter(([, leftMs]) => leftMs !== -2));
    },
    async forget(id) {
      await redis.del(keys.record(id));
    },
    async loseConnections() {
      const again = new Promise((resolve) => subscriber.once('ready', resolve));
      if (server.killable) await server.restart();
      else await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await again;
      await readyWithin(redis, 10_000);
    },
    async close() {
      for (const act of closers) act();
      await Promise.all(consumers.map((consumer) => consumer.stop(5_000)));
      try {
        await refuseLeaks(scope);
      } finally {
        await queue.close();
        const left = await keysBelow(redis, scope.base);
        if (left.length > 0) await redis.unlink(...left);
        closeRedis(redis);
        closeRedis(subscriber);
      }
    },
  };
}

/** What the queue's adapters stand on. */
export function bullOver(context: RedisContext): BullContext & { readonly connection: Redis } {
  const { redis, keys } = context;
  return { connection: redis, prefix: keys.queuePrefix, turns: createTurns(context), onError: () => undefined };
}

function keep<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}
