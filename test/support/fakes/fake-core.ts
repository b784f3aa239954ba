/** All fakes over one memory: what a test of the product's logic stands on instead of Redis and BullMQ. */
import type {
  BudgetLedger,
  FolderClaims,
  InputMailbox,
  JobStore,
  StepJournal,
  TableStore,
} from '../../../src/core/ports.js';
import type { JsonRedactor } from '../../../src/core/redaction.js';
import type { Retention } from '../../../src/redis/context.js';
import { testRedactor } from '../redactor.js';
import { createFakeBudgetLedger } from './budget-ledger.js';
import { createFakeEventLog, type FakeEventLog } from './event-log.js';
import { createFakeFolderClaims } from './folder-claims.js';
import { createFakeInputMailbox } from './input-mailbox.js';
import { createFakeJobQueue, type FakeJobQueue } from './job-queue.js';
import { createFakeJobStore } from './job-store.js';
import { createMemory, type Memory } from './memory.js';
import { createFakeStepJournal } from './step-journal.js';
import { createFakeTableStore } from './table-store.js';

/** The ports and the memory behind them. */
export interface FakeCore {
  readonly redactor: JsonRedactor;
  readonly memory: Memory;
  readonly store: JobStore;
  readonly log: FakeEventLog;
  readonly journal: StepJournal;
  readonly mailbox: InputMailbox;
  readonly ledger: BudgetLedger;
  readonly folders: FolderClaims;
  readonly tables: TableStore;
  readonly queue: FakeJobQueue;
}

/** Builds fresh fakes. */
export function createFakeCore(retention: Partial<Retention> = {}): FakeCore {
  const memory = createMemory(retention);
  return {
    memory,
    redactor: testRedactor(),
    store: createFakeJobStore(memory),
    log: createFakeEventLog(memory),
    journal: createFakeStepJournal(memory),
    mailbox: createFakeInputMailbox(memory),
    ledger: createFakeBudgetLedger(memory),
    folders: createFakeFolderClaims(memory),
    tables: createFakeTableStore(memory),
    queue: createFakeJobQueue(memory),
  };
}
