/** Goes on with a 2025-era call that another front end began: attaches it to the job it has, or says that it has none. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import type { ToolContract } from '../core/tool.js';
import type { JobView } from '../jobs/inspect.js';
import type { Jobs } from '../jobs/jobs.js';
import type { ToolCall } from './call.js';
import { followJob } from './follow-job.js';
import type { CallPlan } from './front-end.js';

/**
 * Follows the job from where the client has heard of it. Undefined if there is no job yet and the call can begin anew;
 * throws `call_lost` if it cannot.
 */
export async function goOn(
  call: ToolCall,
  contract: ToolContract,
  plan: CallPlan,
): Promise<CallToolResult | InputRequiredResult | undefined> {
  const jobs = await call.frontEnd.jobs();
  const view = await jobOf(jobs, call, plan);
  if (!view) {
    if (plan.resumed?.args) return undefined;
    throw callLost(call.name);
  }
  const { seed } = view.record;
  // Between a job's record and its place in the queue lies an instant in which its front end may have died.
  await jobs.nudge(seed.id, call.connection.principal);
  const attachment = { call, contract, jobs, id: seed.id, input: seed.args, existing: true, cancels: true };
  return followJob({ ...attachment, toldProgress: plan.resumed?.progress }, plan.resumed?.cursor);
}

/** The error of a call whose front end died before it had a job, or while it did what must not be done twice. */
export function callLost(name: string): AppError {
  return new AppError(
    'call_lost',
    `The front end that took the call of ${name} died before it was done. Look with list_jobs whether it was carried out, and call again if not.`,
  );
}

async function jobOf(jobs: Jobs, { connection }: ToolCall, { job }: CallPlan): Promise<JobView | undefined> {
  if (job === undefined) return undefined;
  try {
    return await jobs.inspect(job, connection.principal);
  } catch (error) {
    if (error instanceof AppError && error.code === 'job_not_found') return undefined;
    throw error;
  }
}
