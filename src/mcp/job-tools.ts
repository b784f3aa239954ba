/** The tools that look at jobs; they answer at once, in the front end, and are no jobs themselves. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { abortableWith } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import type { Principal } from '../core/ids.js';
import { isFinal, type JobRecord } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import { type PublishedTool, parseArguments } from '../core/tool.js';
import type { JobView } from '../jobs/inspect.js';
import type { Jobs } from '../jobs/jobs.js';
import { cancelJobTool } from '../tools/cancel-job.js';
import { getJob, PAGE_CHARACTERS, PAGE_ROWS } from '../tools/get-job.js';
import { listJobs } from '../tools/list-jobs.js';
import { detailOf, summaryOf } from './job-view.js';
import { readCursor, writeCursor } from './page-cursor.js';
import { success } from './results.js';
import { pageOf } from './table-page.js';

type GetJobInput = z.output<(typeof getJob)['input']>;

/** Who calls with what. */
export interface JobToolCall {
  readonly jobs: Jobs;
  readonly principal: Principal;
  /** Ends a wait early. */
  readonly signal: AbortSignal;
}

/** A job tool: what is published, and what answers a call. */
export interface JobTool {
  readonly contract: PublishedTool;
  /** Parses and answers; throws an `AppError` that becomes an error result. */
  answer(args: unknown, call: () => Promise<JobToolCall>): Promise<CallToolResult>;
}

/** The job tools in the order they are listed. */
export const JOB_TOOLS: readonly JobTool[] = [
  jobTool(getJob, async (input, { jobs, principal, signal }) => {
    let view = await jobs.inspect(input.job_id, principal);
    if (input.wait_seconds > 0 && !isSettled(view)) {
      const waiting = abortableWith(signal, input.wait_seconds * 1_000);
      await untilSettled(jobs, view.record, waiting.signal).finally(waiting.release);
      view = await jobs.inspect(input.job_id, principal);
    }
    const page = await readPage(input, jobs, principal);
    if (!page) return detailOf(view);
    const { result: _, ...detail } = detailOf(view);
    return { ...detail, page };
  }),
  jobTool(listJobs, async (input, { jobs, principal }) => {
    const { states, tool, limit, cursor } = input;
    const filter = { states, tool };
    const page = await jobs.list({
      principal,
      limit,
      ...(states && { states }),
      ...(tool !== undefined && { tool }),
      ...(cursor !== undefined && { after: readCursor(cursor, filter) }),
    });
    const last = page.jobs.at(-1)?.seed;
    const positions = await jobs.positions(page.jobs);
    return {
      jobs: page.jobs.map((record) => summaryOf(record, positions.get(record.seed.id))),
      total_count: page.totalCount,
      has_more: page.hasMore,
      ...(page.unreadable !== undefined && { unreadable: page.unreadable }),
      ...(page.hasMore && last && { next_cursor: writeCursor(last, filter) }),
    };
  }),
  jobTool(cancelJobTool, async (input, { jobs, principal }) => {
    const done = await jobs.cancel(input.job_id, principal, input.reason ?? 'cancelled with cancel_job');
    const already = done.kind === 'already_ended';
    return { job_id: done.id, state: already ? done.state : 'cancelled', already_ended: already };
  }),
];

/** The page that is asked for, if one is. */
async function readPage({ job_id, section, offset, limit }: GetJobInput, jobs: Jobs, principal: Principal) {
  if (section === undefined) {
    if (offset === undefined && limit === undefined) return undefined;
    const fault =
      'Invalid arguments for get_job: offset and limit need section. Name the table to read, or leave them out.';
    throw new AppError('invalid_arguments', fault);
  }
  const query = { section, offset: offset ?? 0, limit: limit ?? PAGE_ROWS.usual };
  return pageOf(await jobs.table(job_id, principal, query), PAGE_CHARACTERS);
}

function jobTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: PublishedTool<Input, Output>,
  run: (input: z.output<Input>, call: JobToolCall) => Promise<z.output<Output>>,
): JobTool {
  const published = contract as unknown as PublishedTool;
  return {
    contract: published,
    async answer(args, call) {
      const input = parseArguments(published, args) as z.output<Input>;
      const output = await run(input, await call());
      const { job_id } = output;
      return success(
        output as JsonObject,
        contract.render(output, input),
        typeof job_id === 'string' ? job_id : undefined,
      );
    },
  };
}

/** Whether there is nothing to wait for: the job ended, or is handed over and waits for the caller itself. */
function isSettled({ record, handedOver }: JobView): boolean {
  return isFinal(record.state) || handedOver !== undefined;
}

async function untilSettled(jobs: Jobs, { seed }: JobRecord, signal: AbortSignal): Promise<void> {
  for await (const { event } of jobs.watch(seed.id, { signal })) {
    if (event.type === 'outcome') return;
    const parked = event.type === 'state' && event.state === 'parked';
    if (parked && isSettled(await jobs.inspect(seed.id, seed.principal))) return;
  }
}
