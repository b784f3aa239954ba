/** Wakes a delayed job; two may try it at once, from both sides of a park. */
import type { Job } from 'bullmq';

/** Promotes the job; says whether it was delayed. */
export async function promoteJob(job: Job<unknown>): Promise<boolean> {
  try {
    await job.promote();
    return true;
  } catch (error) {
    if (error instanceof Error && /not in the delayed state|missing key/i.test(error.message)) return false;
    throw error;
  }
}
