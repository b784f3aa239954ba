/** Cancels a job in every state: the record ends first, so no race with a worker can lose the cancel. */
import type { JobState } from '../core/job.js';
import { notFound, ownedRecord } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';
import { deliverPart } from './parts.js';
import { wakeNext } from './wake-next.js';

/** What came of a cancel. */
export type Cancellation =
  | { readonly kind: 'cancelled'; readonly id: string }
  | { readonly kind: 'already_ended'; readonly id: string; readonly state: JobState };

/** Who cancels what and why; the reason is kept with the job. */
export interface CancelRequest {
  readonly id: string;
  readonly asker: Asker;
  readonly reason: string;
}

/**
 * Ends the record as cancelled, which wakes the worker that may run the job, then takes the job out of the queue.
 * A worker that starts the job in between, or because it could not be taken out, finds the record ended and lets go of it.
 */
export async function cancelJob(ports: JobPorts, request: CancelRequest): Promise<Cancellation> {
  const { seed } = await ownedRecord(ports, request.id, request.asker);
  const { text: reason } = await ports.redactor.redact(request.reason);
  const ending = await ports.store.end(seed.id, { state: 'cancelled', reason });
  if (ending.kind === 'missing') throw notFound(request.id);
  if (ending.kind === 'already') return { kind: 'already_ended', id: seed.id, state: ending.state };
  const { partOf } = seed;
  // The job it belongs to must not wait for it for ever.
  if (partOf) await deliverPart(ports, partOf, { state: 'cancelled', reason });
  // The job is cancelled whatever comes of this, and to be told otherwise would be untrue.
  await ports.queue.remove(seed.id, seed.queue).catch(() => false);
  // Those in line look again by themselves, only later.
  if (seed.session !== undefined) await wakeNext(ports, seed.session).catch(() => undefined);
  return { kind: 'cancelled', id: seed.id };
}
