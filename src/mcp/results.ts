/** Shapes tool results for the wire: text capped, structured content only on success, errors as a model can read them. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError, reportOf } from '../core/errors.js';
import { JOB_ID_META } from '../core/job.js';
import type { JsonObject } from '../core/json.js';

/** Characters of text in one result; more would crowd out a model's context. */
export const TEXT_CAP = 25_000;

/** A successful result: its text, cut at `TEXT_CAP` with the way to the rest, and its structured form whole. */
export function success(structured: JsonObject, text: string, jobId?: string): CallToolResult {
  const meta = jobId === undefined ? {} : { _meta: { [JOB_ID_META]: jobId } };
  return { content: [{ type: 'text', text: capped(text, jobId) }], structuredContent: { ...structured }, ...meta };
}

/** A tool error as the specification wants it: `isError`, readable, without structured content. */
export function failure(error: unknown, jobId?: string): CallToolResult {
  const { code, message, retryable } = reportOf(error);
  const details = error instanceof AppError ? error.details : undefined;
  return failureOf({ code, message, retryable, details }, jobId);
}

/** As `failure`, for an error that is already stored as a report. */
export function failureOf(
  report: Pick<AppError, 'code' | 'message' | 'retryable'> & Partial<Pick<AppError, 'details'>>,
  jobId?: string,
): CallToolResult {
  const { code, message, retryable, details } = report;
  return {
    isError: true,
    content: [{ type: 'text', text: `${message}${jobId === undefined ? '' : ` (job ${jobId})`}` }],
    _meta: { 'longhaul/error': { ...details, code, retryable, ...(jobId !== undefined && { jobId }) } },
  };
}

function capped(text: string, jobId: string | undefined): string {
  if (text.length <= TEXT_CAP) return text;
  const way = jobId === undefined ? 'Ask for a smaller page.' : `Read the resource job://${jobId} for all of it.`;
  const note = `\n\n[Cut: ${text.length} characters in all. The structured result is complete. ${way}]`;
  return text.slice(0, TEXT_CAP - note.length) + note;
}
