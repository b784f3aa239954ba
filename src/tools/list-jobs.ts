/** The contract of `list_jobs`: pages of the caller's jobs, newest first. */
import { z } from 'zod';
import { JOB_STATES } from '../core/job.js';
import type { PublishedTool } from '../core/tool.js';
import { jobSummarySchema, summaryLine } from './job-view.js';

const input = z.object({
  states: z
    .array(z.enum(JOB_STATES))
    .max(JOB_STATES.length)
    .optional()
    .describe('Only jobs in these states. Default all.'),
  tool: z.string().max(64).optional().describe('Only jobs of this tool.'),
  limit: z.int().min(1).max(100).default(20).describe('Jobs in one page. Default 20.'),
  cursor: z.string().max(500).optional().describe('next_cursor of the page before.'),
});

const output = z.object({
  jobs: z.array(jobSummarySchema),
  total_count: z.int().describe('Matching jobs in all pages.'),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
  unreadable: z
    .int()
    .optional()
    .describe('Further jobs, stored by a newer version of Longhaul: only a server of that version can show them.'),
});

/** Lists the caller's own jobs; pages stay stable while new jobs arrive. */
export const listJobs: PublishedTool<typeof input, typeof output> = {
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'Lists your jobs, newest first, with state and progress. Filter by state or tool; follow next_cursor for more.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  render(page) {
    const newer = newerJobs(page.unreadable ?? 0);
    if (page.jobs.length === 0) return `No jobs match.${newer}`;
    const more = page.next_cursor === undefined ? '' : `\n\nMore: call list_jobs with cursor ${page.next_cursor}`;
    return `${page.jobs.length} of ${page.total_count} jobs:\n${page.jobs.map(summaryLine).join('\n')}${newer}${more}`;
  },
};

function newerJobs(count: number): string {
  if (count === 0) return '';
  return `\n\n${count} more stored by a newer version of Longhaul cannot be shown here; a server of that version can.`;
}
