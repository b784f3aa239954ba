/** Takes the submission of a job that was handed over, and attaches the call to the job as its own call was. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import { LOG_START } from '../core/events.js';
import { isFinal, type JobRecord, waitsFor } from '../core/job.js';
import { type PublishedTool, parseArguments } from '../core/tool.js';
import type { Jobs } from '../jobs/jobs.js';
import { submitReview } from '../tools/submit-review.js';
import type { Attachment, ToolCall } from './call.js';
import { followJob } from './follow-job.js';
import { resumeJob } from './resume-job.js';
import { resumePoint } from './round-trip.js';

const contract = submitReview as unknown as PublishedTool;

/**
 * Answers a call of `submit_review` with what the job comes to, as its own tool renders it. Throws `job_not_found`,
 * `submission_not_awaited` and `redaction_failed`. A call that is given up leaves the job to end by itself: what was submitted is work done.
 */
export async function takeReview(call: ToolCall): Promise<CallToolResult | InputRequiredResult> {
  const { job_id, ...submitted } = parseArguments(contract, call.args);
  const jobs = await call.frontEnd.jobs();
  const { principal } = call.connection;
  const { record } = await jobs.inspect(String(job_id), principal);
  const attachment = attachmentTo(call, jobs, record);
  const point = await resumePoint(call);
  if (point) return resumeJob(attachment, point.cursor);
  // What the job told before is no news of this call.
  const cursor = (await jobs.log(attachment.id, LOG_START)).at(-1)?.cursor;
  const handing = await jobs.handIn(attachment.id, principal, submitted);
  if (handing.kind === 'not_awaited') throw notAwaited(handing.record);
  const result = await followJob(attachment, cursor);
  return handing.kind === 'already' ? noted(result) : result;
}

/** A tool that only other front ends know is rendered as JSON. */
function attachmentTo(call: ToolCall, jobs: Jobs, { seed }: JobRecord): Attachment {
  const known = call.frontEnd.tools.get(seed.tool) ?? contract;
  return { call, contract: known, jobs, id: seed.id, input: seed.args, existing: true, cancels: false };
}

function noted(result: CallToolResult | InputRequiredResult): CallToolResult | InputRequiredResult {
  if (!Array.isArray(result.content) || result.isError) return result;
  const text = 'The job already had its submission, which stands; this is what it came to.';
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

function notAwaited(record: JobRecord): AppError {
  const { seed, state } = record;
  const message = `Job ${seed.id} (${seed.tool}) awaits no submission: it is ${state}. ${whatInstead(record)}`;
  return new AppError('submission_not_awaited', message);
}

function whatInstead(record: JobRecord): string {
  const lapsed = record.handOff?.state === 'lapsed';
  const why = lapsed ? 'Nobody submitted anything by its deadline. ' : '';
  if (isFinal(record.state)) return `${why}get_job has what it came to; call ${record.seed.tool} again to begin anew.`;
  if (!lapsed && waitsFor(record) === 'client') return 'It waits for its client to answer a question.';
  return `${why}get_job with wait_seconds tells how it goes on.`;
}
