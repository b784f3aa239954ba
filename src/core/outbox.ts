/** Notifications of ended jobs that wait to be delivered: written with the outcome, so that none is lost between the two. */
import { z } from 'zod';
import { type JobId, jobIdSchema } from './ids.js';
import { JOB_STATES } from './job.js';

/** What is told of a job that ended: nothing of its arguments, its result or its owner. */
export const notificationSchema = z.object({
  id: jobIdSchema,
  tool: z.string(),
  state: z.enum(JOB_STATES),
  /** The error code of a failed job. */
  code: z.string().optional(),
  attempt: z.coerce.number(),
  crashes: z.coerce.number(),
  createdAtMs: z.coerce.number(),
  /** Absent for a job that never ran. */
  startedAtMs: z.coerce.number().optional(),
  endedAtMs: z.coerce.number(),
});

/** See `notificationSchema`. */
export type Notification = z.infer<typeof notificationSchema>;

/** A notification that was taken to be delivered. */
export interface TakenNotification {
  readonly notification: Notification;
  /** 1 for the first. Whoever takes it again, since this try is overdue, counts on. */
  readonly attempt: number;
}

/** How a try ended: delivered, to be tried again after a while, or never again. */
export type Settlement =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'given_up' };

/** Where notifications wait. Nothing is collected unless somebody took some within the last week: whoever delivers says so by that. */
export interface Outbox {
  /** Takes what is due; nobody else gets it for `leaseMs`, after which it counts as not delivered. */
  take(limit: number, leaseMs: number): Promise<readonly TakenNotification[]>;
  /** Settles a try; changes nothing if the notification was taken again since. */
  settle(id: JobId, attempt: number, how: Settlement): Promise<void>;
}

/** Notifications that wait at most; of further ones it is only counted that they were dropped. */
export const OUTBOX_CAP = 10_000;
