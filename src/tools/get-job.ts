/** The contract of `get_job`: a job's state and, once it ended, its result. */
import { z } from 'zod';
import type { PublishedTool } from '../core/tool.js';
import { jobSummarySchema, summaryLine } from './job-view.js';

/** Longest that one call of `get_job` waits for an end. */
const LONGEST_WAIT_SECONDS = 60;

const input = z.object({
  job_id: z.string().min(1).max(100).describe('The id a tool result, an error or list_jobs named.'),
  wait_seconds: z
    .number()
    .min(0)
    .max(LONGEST_WAIT_SECONDS)
    .default(0)
    .describe('Wait up to this long for the job to end, or to wait for you, before answering. Default 0.'),
});

const output = jobSummarySchema.extend({
  submit_by: z.iso.datetime().optional().describe('Until when submit_review is waited for.'),
  preliminary: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('While submit_review is waited for: the result that says what to submit.'),
  result: z.record(z.string(), z.unknown()).optional().describe('The structured result of a completed job.'),
  error: z
    .object({ code: z.string(), message: z.string(), retryable: z.boolean() })
    .optional()
    .describe('Why a failed job failed.'),
  cancel_reason: z.string().optional(),
  faults: z
    .array(z.object({ attempt: z.int(), at: z.iso.datetime(), code: z.string(), message: z.string() }))
    .describe('Attempts that failed and were tried again.'),
});

type Output = z.output<typeof output>;

/** Reads a job; works from any session and after restarts, until the result expires. */
export const getJob: PublishedTool<typeof input, typeof output> = {
  name: 'get_job',
  title: 'Get a job',
  description:
    'Tells the state of a job and, once it ended, its result or error. Use it when a tool call ended before its job did: ' +
    'after a disconnect, a timeout or a restart. Set wait_seconds to wait for the end instead of asking again and again.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  render,
};

function render(job: Output): string {
  const parts = [summaryLine(job)];
  if (job.error) parts.push(`Failed: ${job.error.message}`);
  if (job.cancel_reason !== undefined) parts.push(`Cancelled: ${job.cancel_reason}`);
  if (job.faults.length > 0)
    parts.push(`Attempts that failed: ${job.faults.map((fault) => `${fault.attempt}: ${fault.message}`).join('; ')}`);
  if (job.result) parts.push(JSON.stringify(job.result, null, 2));
  if (job.preliminary) parts.push(JSON.stringify(job.preliminary, null, 2));
  if (!job.ended_at) parts.push(whatNext(job));
  return parts.join('\n\n');
}

function whatNext({ job_id, submit_by }: Output): string {
  return submit_by === undefined
    ? 'Not ended yet: call get_job again with wait_seconds, or stop it with cancel_job.'
    : `It was handed over: do what its preliminary result says, then finish it with submit_review {"job_id": "${job_id}", …} ` +
        `by ${submit_by}, or stop it with cancel_job.`;
}
