/** Parts of a job on their way: queued for any worker, and their outcomes brought back to the job. */
import type { StoredReply } from '../core/input.js';
import { isFinal, type JobSeed, type Outcome } from '../core/job.js';
import { asJson } from '../core/json.js';
import { isGroupDone, type PartOf } from '../core/part.js';
import type { InputMailbox, JobQueue, JobStore, RunOf } from '../core/ports.js';

/** What parts need. */
export interface PartPorts {
  readonly store: JobStore;
  readonly queue: Pick<JobQueue, 'add' | 'promote'>;
  readonly mailbox: Pick<InputMailbox, 'answer' | 'answerAsPart' | 'openKeys'>;
}

/** Stores and queues the parts; those that are known already stay as they are. */
export async function queueParts(
  ports: Pick<PartPorts, 'store'> & { readonly queue: Pick<JobQueue, 'add'> },
  parts: readonly JobSeed[],
): Promise<void> {
  const put = async (part: JobSeed) => {
    await ports.store.create(part);
    // Whoever stored it may have died before it was queued. One that ended is never run again, wherever it lies.
    await ports.queue.add(part);
  };
  await Promise.all(parts.map(put));
}

/**
 * Gives the job a part's outcome, before the part's own record ends: whoever dies in between does it again, and the first
 * outcome stands. The job is woken by the last part of its fan-out. With `by`, only if that run still holds the part.
 */
export async function deliverPart(ports: PartPorts, partOf: PartOf, outcome: Outcome, by?: RunOf): Promise<void> {
  const { id, key } = partOf;
  const reply: StoredReply = { kind: 'answered', value: asJson(outcome) };
  const { mailbox } = ports;
  const answering = await (by ? mailbox.answerAsPart(id, key, reply, by) : mailbox.answer(id, key, reply));
  if (answering !== 'stored' && answering !== 'late') return;
  if (!isGroupDone(partOf.group, await ports.mailbox.openKeys(partOf.id))) return;
  const job = await ports.store.get(partOf.id);
  if (job) await ports.queue.promote(partOf.id, job.seed.queue);
}

/** Whether the job that a part belongs to is over, so that nobody wants the part. */
export async function isOrphan(store: Pick<JobStore, 'get'>, partOf: PartOf | undefined): Promise<boolean> {
  if (!partOf) return false;
  const job = await store.get(partOf.id);
  return !job || isFinal(job.state);
}
