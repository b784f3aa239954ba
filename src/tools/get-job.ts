/** The contract of `get_job`: a job's state and, once it ended, its result. */
import { z } from 'zod';
import { count } from '../core/figures.js';
import type { PublishedTool } from '../core/tool.js';
import { jobSummarySchema, sectionSchema, summaryLine } from './job-view.js';
import { oneLine, table } from './text.js';

/** Longest that one call of `get_job` waits for an end. */
const LONGEST_WAIT_SECONDS = 60;

/** Rows of a page unless asked, and at most. */
export const PAGE_ROWS = { usual: 100, most: 1_000 };
/** Characters of a page's rows; longer ones end it early, so that the text of a page is never cut. */
export const PAGE_CHARACTERS = 20_000;

const input = z.object({
  job_id: z.string().min(1).max(100).describe('The id a tool result, an error or list_jobs named.'),
  wait_seconds: z
    .number()
    .min(0)
    .max(LONGEST_WAIT_SECONDS)
    .default(0)
    .describe('Wait up to this long for the job to end, or to wait for you, before answering. Default 0.'),
  section: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Read a page of this table instead of the result. A result names its sections, such as "files".'),
  offset: z.int().min(0).optional().describe('With section: rows to pass over. Go on with next_offset. Default 0.'),
  limit: z
    .int()
    .min(1)
    .max(PAGE_ROWS.most)
    .optional()
    .describe(
      `With section: rows in the page, at most ${PAGE_ROWS.most}; long rows end it early. Default ${PAGE_ROWS.usual}.`,
    ),
});

const page = z.object({
  section: z.string(),
  columns: z.array(z.string()),
  offset: z.int(),
  rows: z.array(z.record(z.string(), z.unknown())).describe('By column: a text, a number, true, false or null each.'),
  total: z.int().describe('Rows in all pages.'),
  next_offset: z.int().optional().describe('offset of the next page; absent on the last.'),
  left_out: sectionSchema.shape.left_out,
});

const output = jobSummarySchema.extend({
  submit_by: z.iso.datetime().optional().describe('Until when submit_review is waited for.'),
  preliminary: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('While submit_review is waited for: the result that says what to submit.'),
  result: z.record(z.string(), z.unknown()).optional().describe('The structured result of a completed job.'),
  sections: z.array(sectionSchema).optional().describe('Tables that can be read with section.'),
  page: page.optional().describe('The page that section asked for; result is left out then.'),
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
type Page = z.output<typeof page>;

/** Reads a job; works from any session and after restarts, until the result expires. */
export const getJob: PublishedTool<typeof input, typeof output> = {
  name: 'get_job',
  title: 'Get a job',
  description:
    'Tells the state of a job and, once it ended, its result or error. Use it when a tool call ended before its job did: ' +
    'after a disconnect, a timeout or a restart. Set wait_seconds to wait for the end instead of asking again and again. ' +
    'Tables too long for a result, such as all files of a scan, are read in pages with section, offset and limit.',
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
  if (job.page) parts.push(pageText(job.page));
  if (job.result) parts.push(JSON.stringify(job.result, null, 2));
  if (job.preliminary) parts.push(JSON.stringify(job.preliminary, null, 2));
  if (!job.ended_at) parts.push(whatNext(job));
  return parts.join('\n\n');
}

function pageText({ section, columns, offset, rows, total, next_offset, left_out }: Page): string {
  const range = rows.length === 0 ? 'no rows' : `rows ${count(offset + 1)} to ${count(offset + rows.length)}`;
  const missing = left_out === undefined ? '' : ` ${count(left_out)} more did not fit and were not kept.`;
  const next = next_offset === undefined ? '' : `\n\nGo on with {"section": "${section}", "offset": ${next_offset}}.`;
  const cells = rows.map((row) => columns.map((column) => oneLine(String(row[column] ?? ''))));
  return `${section}: ${range} of ${count(total)}.${missing}\n\n${table(columns, cells)}${next}`;
}

function whatNext({ job_id, submit_by }: Output): string {
  return submit_by === undefined
    ? 'Not ended yet: call get_job again with wait_seconds, or stop it with cancel_job.'
    : `It was handed over: do what its preliminary result says, then finish it with submit_review {"job_id": "${job_id}", …} ` +
        `by ${submit_by}, or stop it with cancel_job.`;
}
