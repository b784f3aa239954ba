/** Parts of a job that run as jobs of their own: their names, and when the job they belong to can go on. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type JobId, jobIdFrom, jobIdSchema } from './ids.js';
import type { JsonObject } from './json.js';

/** How the parts' progress adds up to their job's: `done` of `total` units lead from one value to another. */
export const shareSchema = z.object({
  from: z.number(),
  to: z.number(),
  /** Units of all parts together. */
  total: z.number(),
  /** The total of the job's progress, in the unit of `from` and `to`. */
  outOf: z.number(),
  /** What stands before and after the number of units done: `Counted 12 of 40 files`. */
  before: z.string(),
  after: z.string(),
});

/** See `shareSchema`. */
export type Share = z.infer<typeof shareSchema>;

/** Which job a part belongs to; `key` is the question by which that job waits for it, `group` what those of one fan-out begin with. */
export const partOfSchema = z.object({ id: jobIdSchema, key: z.string(), group: z.string(), share: shareSchema });

/** See `partOfSchema`. */
export type PartOf = z.infer<typeof partOfSchema>;

/** A wish for parts: one call of `tool` for each of `parts`, its arguments. */
export interface FanOutRequest {
  /** A tool of the workers' table; it need not be one that clients see. */
  readonly tool: string;
  readonly queue: string;
  readonly parts: readonly JsonObject[];
  readonly share: Share;
}

/** The question by which a job waits for a part. */
export function partKey(group: string, index: number): string {
  return `${group}/${index}`;
}

/** The fan-out whose part a question waits for. */
export function groupOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** Which of its fan-out's parts a question waits for. */
export function placeInGroup(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1));
}

/** The id of a part: the same whenever its job is run again, and as hard to guess as the job's own. */
export function partId(job: JobId, key: string): JobId {
  return jobIdFrom(createHash('sha256').update(`part ${job} ${key}`).digest().subarray(0, 26));
}

/** Whether no part of the fan-out is among the keys of questions without a reply. */
export function isGroupDone(group: string, openKeys: readonly string[]): boolean {
  return !openKeys.some((key) => key.startsWith(`${group}/`));
}
