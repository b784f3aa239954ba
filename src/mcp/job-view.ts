/** Turns job records into what the job tools and resources show. */
import type { z } from 'zod';
import { type JobRecord, waitsFor } from '../core/job.js';
import type { SectionSize } from '../core/table.js';
import type { JobView } from '../jobs/inspect.js';
import type { getJob } from '../tools/get-job.js';
import type { JobSummary, sectionSchema } from '../tools/job-view.js';

const iso = (ms: number): string => new Date(ms).toISOString();

/** A record as a summary, with its position if it has one. */
export function summaryOf(record: JobRecord, position?: number): JobSummary {
  const { startedAtMs, endedAtMs, expiresAtMs, progress } = record;
  const waits_for = waitsFor(record);
  return {
    job_id: record.seed.id,
    tool: record.seed.tool,
    state: record.state,
    created_at: iso(record.seed.createdAtMs),
    ...(startedAtMs !== undefined && { started_at: iso(startedAtMs) }),
    ...(endedAtMs !== undefined && { ended_at: iso(endedAtMs) }),
    ...(expiresAtMs !== undefined && { expires_at: iso(expiresAtMs) }),
    attempt: record.attempt,
    worker_crashes: record.crashes,
    ...(progress && { progress }),
    ...(waits_for && { waits_for }),
    ...(position !== undefined && { position }),
  };
}

/** A job with its result or error, as `get_job` and `job://{id}` give it. */
export function detailOf(view: JobView): z.output<(typeof getJob)['output']> {
  const { record, outcome, position, handedOver, sections } = view;
  const faults = record.faults.map(({ attempt, atMs, error }) => ({
    attempt,
    at: iso(atMs),
    code: error.code,
    message: error.message,
  }));
  return {
    ...summaryOf(record, position),
    faults,
    ...(handedOver && { submit_by: iso(handedOver.deadlineMs), preliminary: { ...handedOver.preliminary } }),
    ...(outcome?.state === 'completed' && { result: { ...outcome.result } }),
    ...(sections && { sections: sections.map(sectionOf) }),
    ...(outcome?.state === 'failed' && { error: { ...outcome.error } }),
    ...(outcome?.state === 'cancelled' && { cancel_reason: outcome.reason }),
  };
}

function sectionOf({ name, rows, leftOut }: SectionSize): z.output<typeof sectionSchema> {
  return { section: name, rows, ...(leftOut > 0 && { left_out: leftOut }) };
}
