/** Delivers the notifications of ended jobs, each at least once: what fails is tried again, by whoever is there then. */

import { pause, type Service, settlesWithin } from '../core/lifecycle.js';
import type { Notification, Outbox, Settlement, TakenNotification } from '../core/outbox.js';
import type { ProcessLog } from '../core/process-log.js';
import { type Posted, post } from './post.js';
import { signed } from './signature.js';

/** Where notifications go. */
export interface WebhookOptions {
  readonly url: URL;
  /** Each signs; at least one. */
  readonly keys: readonly Buffer[];
  readonly timeoutMs: number;
  readonly anyAddress: boolean;
}

/** What a notifier needs. */
export interface NotifierOptions {
  readonly webhook: WebhookOptions;
  /** Resolves once the store can be reached, or rejects. */
  readonly outbox: () => Promise<Outbox>;
  readonly log: ProcessLog;
  /** As the receiver is told in `User-Agent`. */
  readonly agent: string;
}

/** Seconds until the next try; the last counts for all further ones. Together some ten hours. */
const BACK_OFF_SECONDS = [2, 10, 60, 300, 1_800, 3_600] as const;
const MOST_TRIES = 15;
/** A receiver may ask for more patience, up to this. */
const LONGEST_WAIT_MS = 6 * 3_600_000;
const AT_A_TIME = 8;
const LOOK_MS = 1_000;
/** From the end of a try to its settlement. */
const LEASE_MARGIN_MS = 3_000;
const GONE = 410;

/** Builds the notifier. Processes of one installation share the work: what one has taken the others pass over. */
export function createNotifier(options: NotifierOptions): Service {
  const quieted = new AbortController();
  const stopped = new AbortController();
  const deliver = createDelivery(options, stopped.signal);
  let working: Promise<void> | undefined;
  return {
    name: 'notifier',
    async start() {
      working ??= work(options, deliver, quieted.signal);
    },
    async quiet() {
      quieted.abort();
    },
    async stop(deadlineMs) {
      quieted.abort();
      if (!working || (await settlesWithin(working, deadlineMs))) return;
      // What is not settled is sent again by others.
      stopped.abort();
      await settlesWithin(working, LOOK_MS);
    },
  };
}

/** The body of a notification; see the README. */
export function bodyOf(notification: Notification): string {
  const { id, tool, state, code, attempt, crashes, createdAtMs, startedAtMs, endedAtMs } = notification;
  const data = {
    job_id: id,
    tool,
    state,
    ...(code !== undefined && { error_code: code }),
    attempt,
    worker_crashes: crashes,
    created_at: iso(createdAtMs),
    ...(startedAtMs !== undefined && { started_at: iso(startedAtMs) }),
    ended_at: iso(endedAtMs),
  };
  return JSON.stringify({ type: `job.${state}`, timestamp: iso(endedAtMs), data });
}

/** What to do after a try. */
export function settlementOf(posted: Posted, attempt: number, random: () => number = Math.random): Settlement {
  const status = posted.kind === 'answered' ? posted.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE || attempt >= MOST_TRIES) return { kind: 'given_up' };
  const seconds = BACK_OFF_SECONDS[attempt - 1] ?? BACK_OFF_SECONDS[BACK_OFF_SECONDS.length - 1] ?? 0;
  // Jittered, so that what failed together does not come back together.
  const ownMs = seconds * 1_000 * (0.75 + random() / 2);
  const askedMs = (posted.kind === 'answered' && posted.retryAfterMs) || 0;
  return { kind: 'retry', delayMs: Math.max(ownMs, Math.min(askedMs, LONGEST_WAIT_MS)) };
}

type Deliver = (outbox: Outbox, taken: TakenNotification) => Promise<void>;

async function work(options: NotifierOptions, deliver: Deliver, signal: AbortSignal): Promise<void> {
  const { log, webhook } = options;
  while (!signal.aborted) {
    let taken: readonly TakenNotification[] = [];
    try {
      const outbox = await options.outbox();
      taken = await outbox.take(AT_A_TIME, webhook.timeoutMs + LEASE_MARGIN_MS);
      await Promise.all(taken.map((one) => deliver(outbox, one)));
    } catch (err) {
      log.debug({ err }, 'notifications could not be looked after');
    }
    if (taken.length === 0) await pause(LOOK_MS * (0.75 + Math.random() / 2), signal);
  }
}

/** Delivers one and settles it; tells when deliveries begin to fail, and when they succeed again. */
function createDelivery({ webhook, log, agent }: NotifierOptions, signal: AbortSignal): Deliver {
  let failing = false;
  return async (outbox, { notification, attempt }) => {
    const body = bodyOf(notification);
    const { id: jobId } = notification;
    const headers = {
      ...signed({ id: messageId(jobId), body, atMs: Date.now() }, webhook.keys),
      'content-type': 'application/json',
      'user-agent': agent,
    };
    const posted = await post({ ...webhook, headers, body, signal });
    if (signal.aborted) return;
    const settlement = settlementOf(posted, attempt);
    await outbox.settle(jobId, attempt, settlement);
    const why = posted.kind === 'failed' ? posted.why : `it answered ${posted.status}`;
    if (settlement.kind === 'given_up') log.error({ jobId, attempt, why }, 'a notification is given up');
    if (settlement.kind === 'retry' && !failing)
      log.warn({ jobId, why }, 'the webhook fails; notifications are tried again');
    if (settlement.kind === 'delivered' && failing) log.info({ jobId }, 'the webhook takes notifications again');
    failing = settlement.kind !== 'delivered';
  };
}

/** The same however often it is sent: a job ends once. */
function messageId(jobId: string): string {
  return `msg_${jobId.replace(/^job_/, '')}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
