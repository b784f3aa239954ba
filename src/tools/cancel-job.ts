/** The contract of `cancel_job`. */
import { z } from 'zod';
import { JOB_STATES } from '../core/job.js';
import type { PublishedTool } from '../core/tool.js';

const input = z.object({
  job_id: z.string().min(1).max(100).describe('The job to cancel.'),
  reason: z.string().max(500).optional().describe('Kept with the job and shown by get_job.'),
});

const output = z.object({
  job_id: z.string(),
  state: z.enum(JOB_STATES).describe('cancelled, or how the job had ended before.'),
  already_ended: z.boolean(),
});

/** Cancels a job in any state; harmless when it has ended. */
export const cancelJobTool: PublishedTool<typeof input, typeof output> = {
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancels a job, whether it waits, runs or sleeps before another attempt. Its worker stops within a second; partial results are ' +
    'discarded. A job that has already ended stays as it is.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  render: ({ job_id, state, already_ended }) =>
    already_ended ? `Job ${job_id} had already ended: ${state}. Nothing was changed.` : `Job ${job_id} is cancelled.`,
};
