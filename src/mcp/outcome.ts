/** A job's outcome as the result of its call. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import type { Outcome } from '../core/job.js';
import type { Attachment } from './call.js';
import { failure, failureOf, success } from './results.js';

/** Renders what came of a job; an expired one is an error that says so. */
export function resultOf({ contract, id, input }: Attachment, outcome: Outcome | undefined): CallToolResult {
  switch (outcome?.state) {
    case 'completed': {
      const asJson = input.response_format === 'json';
      const text = asJson
        ? JSON.stringify(outcome.result, null, 2)
        : contract.render({ ...outcome.result }, { ...input });
      return success(outcome.result, text, id);
    }
    case 'failed':
      return failureOf(outcome.error, id);
    case 'cancelled':
      return failure(new AppError('cancelled', `The job was cancelled: ${outcome.reason}`), id);
    case undefined:
      return failure(
        new AppError('job_not_found', 'The job ended, but its result has already expired. Run it again.'),
        id,
      );
    default:
      return outcome satisfies never;
  }
}
