/** The one error type of the product and the closed table of its codes. */

/** One row of the error catalogue. */
export interface ErrorKind {
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** What the code means, as printed in the README's table. */
  readonly meaning: string;
}

const kind = (retryable: boolean, meaning: string): ErrorKind => ({ retryable, meaning });

/** Every code an `AppError` may carry; the README's table is tested against it. */
export const ERROR_KINDS = {
  invalid_arguments: kind(false, 'The arguments do not fit the tool; nothing was started.'),
  invalid_configuration: kind(false, 'A setting or option is wrong; the message names every fault.'),
  unknown_tool: kind(false, 'No tool of that name is served here.'),
  path_not_found: kind(false, 'The path does not exist where the server looks.'),
  path_not_a_folder: kind(false, 'The path is a file or something else that cannot be scanned.'),
  path_not_readable: kind(false, 'The server may not read the folder.'),
  path_not_visible: kind(false, 'The server sees the path, but no worker does; nothing was done.'),
  path_not_allowed: kind(false, 'The path is outside the allowed folders.'),
  folder_taken: kind(true, 'Another job has this folder, one in it or one around it for itself; nothing was touched.'),
  overloaded: kind(true, 'Too many jobs wait, or are yours and unfinished; nothing was accepted. Try again later.'),
  arguments_too_large: kind(false, 'The arguments are larger than a job may have; nothing was accepted.'),
  idempotency_conflict: kind(false, 'The idempotency key was used with other arguments.'),
  job_not_found: kind(false, 'No such job: never existed, expired, or belongs to someone else.'),
  section_not_found: kind(false, 'The job has no such table, or has not completed; the message names those it has.'),
  submission_not_awaited: kind(false, 'The job awaits no submission, or none any more.'),
  cursor_invalid: kind(false, 'The page cursor was not issued by this server for this listing.'),
  queue_unavailable: kind(
    true,
    'The queue (Redis) cannot be reached or refuses; nothing was accepted, unless the message leaves it open.',
  ),
  redis_unavailable: kind(true, 'Redis was found but could not be started or reached.'),
  no_worker: kind(true, 'Workers do not start, and there are no others; what was accepted before is kept.'),
  server_unreachable: kind(true, 'The MCP server that the command line was to call does not answer.'),
  report_not_written: kind(false, 'A report file could not be written; nothing half-written is left.'),
  redis_not_found: kind(false, 'No Redis is configured, installed or fetchable.'),
  worker_crashed: kind(false, 'Workers died or lost hold of the job again and again; it was given up.'),
  timed_out: kind(false, 'The job ran longer than its tool allows.'),
  cancelled: kind(false, 'The job was cancelled.'),
  call_lost: kind(
    true,
    'The front end that served the call died before the call was done, and none can go on with it.',
  ),
  replay_mismatch: kind(false, 'A re-run of the handler took other steps than the first run.'),
  redaction_failed: kind(false, 'A text could not be searched for secrets, so it was neither sent nor stored.'),
  result_too_large: kind(false, 'The result is larger than a job may store.'),
  handler_failed: kind(false, 'The tool itself failed; details are in the server log.'),
  unsupported_record: kind(false, 'The job was written by a newer version of Longhaul.'),
  internal: kind(false, 'A fault in Longhaul; details are in the server log.'),
} as const satisfies Record<string, ErrorKind>;

/** A stable error code; see `ERROR_KINDS`. */
export type ErrorCode = keyof typeof ERROR_KINDS;

/** Optional parts of an `AppError`. */
export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Overrides the code's own `retryable`. */
  readonly retryable?: boolean;
  /** Plain JSON for programs; shown to clients, so free of secrets and foreign paths. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const MARK = Symbol.for('longhaul.AppError');

/** An error whose message may be shown to a client: it says what failed, what was expected and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** A tool of one's own may bring another copy of this class along, whose errors count as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && MARK in value;
  }

  readonly [MARK] = true;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryable = options.retryable ?? ERROR_KINDS[code].retryable;
    this.details = options.details;
  }
}

/** The part of an error that is stored with a job and shown to clients. */
export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
}

/** Reduces any thrown value to what a client may see; a foreign error becomes `handler_failed` without its text. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof AppError) return { code: error.code, message: error.message, retryable: error.retryable };
  return {
    code: 'handler_failed',
    message: 'The tool failed unexpectedly. The server log has the details; try again, and report it if it stays.',
    retryable: ERROR_KINDS.handler_failed.retryable,
  };
}

/** Whether a stored or foreign string is one of our codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_KINDS, value);
}
