/** Wakes the jobs that waited in line for a share of their session's budget, now that some of it may have come free. */
import type { BudgetLedger, JobQueue, JobStore } from '../core/ports.js';

/** What waking stands on. */
export interface LinePorts {
  readonly store: Pick<JobStore, 'get'>;
  readonly queue: Pick<JobQueue, 'promote'>;
  readonly ledger: Pick<BudgetLedger, 'next'>;
}

/** Wakes whoever fits by now; a job that is only about to park is not delayed yet and looks for itself once it is. */
export async function wakeNext({ store, queue, ledger }: LinePorts, session: string): Promise<void> {
  for (const id of await ledger.next(session)) {
    const record = await store.get(id);
    if (record) await queue.promote(id, record.seed.queue);
  }
}
