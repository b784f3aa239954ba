/** Hands an active job back so that it is the next to be taken. */
import type { Job } from 'bullmq';
import type { BullContext } from './options.js';

/**
 * Moves a job from its holder to the head of the queue. BullMQ puts jobs with a priority among those of the same, and wakes no
 * worker for it; one without goes before all. Rejects as `moveToWait` does, for one that `token` does not hold.
 */
export async function moveToFront(context: BullContext, job: Job<unknown>, token: string | undefined): Promise<void> {
  if (job.id !== undefined) await context.turns.setFirst(job.queueName, job.id, true);
  await job.moveToWait(token);
}
