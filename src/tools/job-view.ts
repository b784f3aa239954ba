/** How jobs are shown to clients: the fields every job tool shares. */
import { z } from 'zod';
import { JOB_STATES, WAITS_FOR } from '../core/job.js';

const time = z.iso.datetime();

/** A job without its result; times are ISO 8601 in UTC. */
export const jobSummarySchema = z.object({
  job_id: z.string(),
  tool: z.string(),
  state: z.enum(JOB_STATES),
  created_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  expires_at: time.optional().describe('When record and result are forgotten; only once the job ended.'),
  attempt: z.int().describe('Attempts begun; 0 before the first.'),
  worker_crashes: z.int().describe('Times a worker died while running the job, or lost hold of it.'),
  progress: z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() }).optional(),
  waits_for: z
    .enum(WAITS_FOR)
    .optional()
    .describe('What a parked job waits for: an answer of its client, or a call of submit_review.'),
  position: z.int().optional().describe('1 for the next job to be taken; only while it waits.'),
});

/** See `jobSummarySchema`. */
export type JobSummary = z.output<typeof jobSummarySchema>;

/** One line about a job. */
export function summaryLine(job: JobSummary): string {
  const place = job.position === undefined ? '' : `, position ${job.position} in the queue`;
  const waiting =
    job.waits_for === undefined
      ? ''
      : `, waits for ${job.waits_for === 'client' || job.waits_for === 'parts' ? `its ${job.waits_for}` : job.waits_for}`;
  const message = job.progress?.message === undefined || job.ended_at !== undefined ? '' : `: ${job.progress.message}`;
  return `${job.job_id} ${job.tool} ${job.state}${place}${waiting}${message} (created ${job.created_at})`;
}

/** A table beside a job's result. */
export const sectionSchema = z.object({
  section: z.string(),
  rows: z.int().min(0),
  left_out: z.int().optional().describe('Rows beyond what a job may store; they are in no page.'),
});
