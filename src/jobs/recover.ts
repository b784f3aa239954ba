/** Gives the jobs of a dead worker to others: the record lets go of the worker first, then the queue does. */
import type { JobId } from '../core/ids.js';
import type { JobQueue, JobStore } from '../core/ports.js';
import type { Presence } from '../core/presence.js';
import { QUEUE_NAMES } from '../core/tool.js';

/** What recovery stands on. */
export interface RecoveryPorts {
  readonly store: Pick<JobStore, 'revoke'>;
  readonly queue: Pick<JobQueue, 'handBack'>;
  readonly presence: Pick<Presence, 'leave'>;
}

/**
 * Hands back all that the worker held, and forgets it; resolves with the ids of its jobs. Harmless when repeated, also by
 * several at once and also when the worker lives after all: what it has begun is refused from here on.
 */
export async function recoverWorker(ports: RecoveryPorts, workerId: string): Promise<readonly string[]> {
  const letGo = async (id: string): Promise<boolean> => {
    await ports.store.revoke(id as JobId, workerId);
    return true;
  };
  const ids = await Promise.all(QUEUE_NAMES.map((name) => ports.queue.handBack(workerId, name, letGo)));
  await ports.presence.leave(workerId);
  return ids.flat();
}
