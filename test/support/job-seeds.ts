/** Seeds, outcomes and faults as tests need them: valid, and told apart by what the test overrides. */
import type { AppError } from '../../src/core/errors.js';
import { reportOf } from '../../src/core/errors.js';
import { newJobId } from '../../src/core/ids.js';
import { type AttemptFault, type JobSeed, type Outcome, RECORD_VERSION } from '../../src/core/job.js';

/** A seed with an id of its own. */
export function seedOf(overrides: Partial<JobSeed> = {}): JobSeed {
  return {
    v: RECORD_VERSION,
    id: newJobId(),
    tool: 'echo',
    queue: 'analysis',
    principal: 'alice',
    args: { word: 'hello' },
    allowedFolders: ['/srv/code'],
    createdAtMs: Date.now(),
    ...overrides,
  };
}

/** An outcome that can be told from others by its word. */
export function completed(word = 'done'): Outcome {
  return { state: 'completed', result: { word } };
}

/** A cancellation. */
export function cancelled(reason = 'no longer wanted'): Outcome {
  return { state: 'cancelled', reason };
}

/** A failure. */
export function failed(message = 'it broke'): Outcome {
  return { state: 'failed', error: { code: 'handler_failed', message, retryable: false } };
}

/** A fault of one attempt. */
export function faultOf(attempt: number, error: AppError): AttemptFault {
  return { attempt, atMs: Date.now(), error: reportOf(error) };
}
