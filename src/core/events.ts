/** What a job tells while it runs: the closed union of events, and their order. */
import { z } from 'zod';
import type { JsonValue } from './json.js';

/** Syslog severities of RFC 5424 as MCP names them, least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** A log level of MCP. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a message of `level` passes a threshold. */
export function passesLevel(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}

const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

/** Progress as a handler reports it: `progress` rises strictly over the job's life; `total` in the same unit if known. */
export const progressSchema = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

/** See `progressSchema`. */
export type Progress = z.infer<typeof progressSchema>;

/** One event of a job; `question` and `answer` name a question only; `outcome` is always the last and says only how the job ended, not with what. */
export const jobEventSchema = z.discriminatedUnion('type', [
  progressSchema.extend({ type: z.literal('progress') }),
  z.object({ type: z.literal('log'), level: z.enum(LOG_LEVELS), logger: z.string(), data: jsonValue }),
  z.object({
    type: z.literal('state'),
    state: z.enum(['active', 'delayed', 'parked', 'waiting']),
    attempt: z.number(),
  }),
  z.object({ type: z.literal('question'), key: z.string() }),
  z.object({ type: z.literal('answer'), key: z.string() }),
  z.object({ type: z.literal('outcome'), state: z.enum(['completed', 'failed', 'cancelled']) }),
]);

/** See `jobEventSchema`. */
export type JobEvent = z.infer<typeof jobEventSchema>;

/** An event with its place in the job's log. */
export interface StoredEvent {
  /** Opaque, rising position; reading after it yields what followed. */
  readonly cursor: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly atMs: number;
  readonly event: JobEvent;
}

/** The cursor before a job's first event. */
export const LOG_START = '0-0';
