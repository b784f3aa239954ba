/** What the verbs of the durable core stand on, and who may ask. */
import type { Principal } from '../core/ids.js';
import type { BudgetLedger, EventLog, InputMailbox, JobQueue, JobStore, TableStore } from '../core/ports.js';
import type { JsonRedactor } from '../core/redaction.js';

/** What the verbs stand on. */
export interface JobPorts {
  readonly store: JobStore;
  readonly log: EventLog;
  readonly queue: JobQueue;
  readonly mailbox: InputMailbox;
  readonly ledger: BudgetLedger;
  readonly tables: Pick<TableStore, 'sections' | 'read'>;
  /** Bytes of JSON that the arguments of a job may take; 16 MiB unless said. */
  readonly argumentBytes?: number;
  /** What is stored passes it where it may hold text for or of a model. */
  readonly redactor: JsonRedactor;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Who asks: an owner sees only its own jobs, the operator (`undefined`) sees all. */
export type Asker = Principal | undefined;
