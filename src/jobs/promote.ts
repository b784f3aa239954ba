/** Lets a job that waits for its next attempt be tried at once. */
import type { JobState } from '../core/job.js';
import { ownedRecord } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';

/** What came of it. */
export type Promotion =
  | { readonly kind: 'promoted'; readonly id: string }
  /** It waits for no time: it is ready or running, waits for an answer, or has ended. */
  | { readonly kind: 'not_delayed'; readonly id: string; readonly state: JobState };

/** Promotes a delayed job; throws `job_not_found` for one the asker may not see. A parked one waits for somebody, not for a time. */
export async function promoteJob(ports: JobPorts, id: string, asker: Asker): Promise<Promotion> {
  const { seed, state } = await ownedRecord(ports, id, asker);
  const promoted = state === 'delayed' && (await ports.queue.promote(seed.id, seed.queue));
  return promoted ? { kind: 'promoted', id: seed.id } : { kind: 'not_delayed', id: seed.id, state };
}
