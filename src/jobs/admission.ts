/** Who is not let in: submissions that are too large, or one too many. */
import { AppError } from '../core/errors.js';
import type { JsonValue } from '../core/json.js';
import type { JobPorts } from './job-ports.js';

const ARGUMENT_BYTES = 16 * 1024 * 1024;

/** Throws `arguments_too_large` for what takes more bytes of JSON than a job may have. */
export function checkSize({ argumentBytes = ARGUMENT_BYTES }: Pick<JobPorts, 'argumentBytes'>, value: JsonValue): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= argumentBytes) return;
  throw new AppError(
    'arguments_too_large',
    `The arguments are ${bytes} bytes of JSON; a job may have ${argumentBytes}. Send less, or the path of a file; nothing was accepted.`,
  );
}

/** Which limit was met, how long to wait at least, and what may help besides. */
const FULL = {
  queue: { why: 'as many jobs wait on this server as may wait', seconds: 10, help: '' },
  caller: {
    why: 'you have as many unfinished jobs as you may',
    seconds: 15,
    help: ', or cancel some (list_jobs, cancel_job)',
  },
} as const;

/** The error of a submission that was refused since there are too many; a random part keeps those refused together apart. */
export function overloaded(what: keyof typeof FULL): AppError {
  const { why, seconds, help } = FULL[what];
  const retryAfterSeconds = seconds + Math.floor(Math.random() * seconds);
  return new AppError(
    'overloaded',
    `Overloaded: ${why}. Nothing was accepted; try again in ${retryAfterSeconds} seconds${help}.`,
    { details: { retry_after_seconds: retryAfterSeconds, limit: what } },
  );
}
