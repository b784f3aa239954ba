/** Puts a job's open questions to the client of a 2025-era call, on the call's own stream; of several calls attached, one asks. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { abortableWith, untilAborted } from '../core/abort.js';
import { createBell } from '../core/bell.js';
import type { JobId } from '../core/ids.js';
import { type ClientQuestion, isForClient, openIn, type StoredReply } from '../core/input.js';
import { createPatience } from '../jobs/patience.js';
import type { Attachment, ToolCall } from './call.js';
import { abilitiesOf, replyOfError, replyToQuestion, requestOf } from './input-wire.js';
import { markQuestion } from './marks.js';
import { questionName } from './open-call.js';
import type { Slot } from './question-slots.js';

/** See `createAsker`. */
export interface Asker {
  /** Looks for open questions and asks those that nobody asks yet. */
  look(): void;
  /** Withdraws a question that got its reply some other way; the client hears `notifications/cancelled`. */
  withdraw(key: string): void;
  /** Withdraws all that is still asked and asks no more. */
  stop(): void;
}

/** A front end that dies leaves its questions to others after this long. */
const LEASE_MS = 15_000;
/** The claim is renewed this often by who holds it, and tried for this often by who wants it. */
const RENEW_MS = 5_000;
const RECLAIM_MS = 1_000;
/** A question that waits for its place is given its time and this much more each time the claim is renewed. */
const POSTPONE_MS = 2 * RENEW_MS;
/** A reply of the last moment still has this long to be stored. */
const STORE_MS = 5_000;
/** Accepts whatever a client answers; reading it is our business, and the SDK's schemas are stricter than clients. */
const anything = z.unknown();

/**
 * Builds the asker of one attached call. A call that attaches to a job of earlier calls takes the asking over, since its
 * client has most likely lost them. A lost connection leaves the questions open.
 */
export function createAsker(attachment: Attachment): Asker {
  const asker = abortableWith(attachment.call.ctx.mcpReq.signal);
  const { signal } = asker;
  const asking = createAsking(attachment, signal);
  const bell = createBell();
  let begun = false;
  const hold = async (): Promise<void> => {
    const turn = createTurns(attachment, asking);
    const bearing = createPatience({ signal });
    while (!signal.aborted) {
      bell.reset();
      const waitMs = await bearing(turn.take);
      await bell.heard(waitMs ?? 0, signal);
    }
    await turn.leave();
  };
  const look = (): void => {
    bell.ring();
    if (begun) return;
    begun = true;
    hold().catch(asking.warn);
  };
  if (attachment.existing) look();
  const stop = (): void => {
    asker.abort('the call is over');
    asker.release();
  };
  return { look, withdraw: asking.withdraw, stop };
}

/** Takes or renews the claim and asks what is open, or finds that another call asks; answers when to look again. */
function createTurns({ call, jobs, id, existing }: Attachment, asking: Asking) {
  const asker = randomUUID();
  let takeOver = existing;
  const isOurs = async (open: readonly ClientQuestion[]): Promise<boolean> => {
    // A call whose client cannot be asked all of it leaves the asking to others.
    if (open.every(asking.isAble)) return jobs.claim(id, { asker, leaseMs: LEASE_MS, takeOver });
    await jobs.unclaim(id, asker);
    return false;
  };
  /** The time of a question that was never put does not run: it would read as if the client had not answered. */
  const postpone = async (queued: readonly ClientQuestion[]): Promise<void> => {
    const timeoutsMs = queued.flatMap(({ timeoutMs }) => timeoutMs ?? []);
    if (timeoutsMs.length === 0) return;
    const keys = queued.map(({ key }) => key);
    await jobs.postpone(id, keys, Date.now() + Math.max(...timeoutsMs) + POSTPONE_MS);
  };
  return {
    async take(): Promise<number> {
      // 2025-11-25, Lifecycle, Initialization: before that the client may be asked nothing.
      if (!call.connection.initialized) return RECLAIM_MS;
      const open = openIn(await jobs.inputs(id)).filter(isForClient);
      const ours = await isOurs(open);
      takeOver = false;
      if (!ours) asking.withdrawAll('another call asks now');
      else for (const question of inOrder(open)) asking.start(question);
      await asking.judged();
      await postpone(open.filter(({ key }) => asking.isQueued(key)));
      return ours ? RENEW_MS : RECLAIM_MS;
    },
    leave: () => jobs.unclaim(id, asker),
  };
}

/** Earlier ones first; a mailbox keeps no order, and not all of them can be put at once. */
function inOrder(questions: readonly ClientQuestion[]): ClientQuestion[] {
  return [...questions].sort((a, b) => a.deadlineMs - b.deadlineMs || (a.key < b.key ? -1 : 1));
}

interface Asking {
  isAble(question: ClientQuestion): boolean;
  /** Asks, when the client has a place for it, unless it is being asked already. */
  start(question: ClientQuestion): void;
  /** Resolves once it is known of every question that was started whether it has to wait. */
  judged(): Promise<unknown>;
  /** Whether a question that was started still waits for its place. */
  isQueued(key: string): boolean;
  withdraw(key: string): void;
  withdrawAll(reason: string): void;
  warn(error: unknown): void;
}

/** The questions that lie with the client. */
function createAsking(attachment: Attachment, signal: AbortSignal): Asking {
  const { call, id } = attachment;
  const abilities = abilitiesOf(call.era.capabilities);
  const asked = new Map<string, { readonly withdrawn: AbortController; readonly slot: Slot }>();
  const warn = (err: unknown) => call.frontEnd.log.warn({ err, jobId: id }, 'a question could not be asked');
  return {
    isAble: ({ kind }) => abilities[kind],
    start(question) {
      const { key } = question;
      if (asked.has(key)) return;
      const withdrawn = new AbortController();
      const slot = call.connection.questionSlots.request(attachment, questionName({ job: id, key }));
      asked.set(key, { withdrawn, slot });
      ask(attachment, { question, slot, signal: AbortSignal.any([signal, withdrawn.signal]) })
        .catch(warn)
        .finally(() => asked.delete(key));
    },
    judged: () => Promise.all([...asked.values()].map(({ slot }) => slot.judged)),
    isQueued: (key) => asked.get(key)?.slot.isWaiting() === true,
    withdraw: (key) => asked.get(key)?.withdrawn.abort('the question was answered some other way'),
    withdrawAll(reason) {
      for (const { withdrawn } of asked.values()) withdrawn.abort(reason);
    },
    warn,
  };
}

interface Putting {
  readonly question: ClientQuestion;
  readonly slot: Slot;
  readonly signal: AbortSignal;
}

/** Asks one question and stores its reply; it stays open if the call is over, unless the client has ended its session. */
async function ask(attachment: Attachment, putting: Putting): Promise<void> {
  const { call, jobs, id } = attachment;
  const { key, deadlineMs } = putting.question;
  const came = await putInTurn(attachment, putting).finally(putting.slot.free);
  const reply = came ?? (call.connection.gone ? { kind: 'client_gone' } : undefined);
  if (!reply) return;
  // An answer in hand is stored even if the call ends meanwhile: the client would have to be asked for it again.
  const { signal: never } = new AbortController();
  const bearing = createPatience({ signal: never, patienceMs: Math.max(STORE_MS, deadlineMs - Date.now()) });
  await bearing(() => jobs.answer(id, key, reply));
}

/** Asks once there is a place for it; one that had to wait has its whole time from then on. */
async function putInTurn(
  { call, jobs, id }: Attachment,
  { question, slot, signal }: Putting,
): Promise<StoredReply | undefined> {
  const ask = (asked: ClientQuestion) => put(call, { question: asked, job: id, signal });
  const how = await untilAborted(slot.granted, signal).catch(() => undefined);
  if (signal.aborted) return undefined;
  const { key, timeoutMs } = question;
  if (how !== 'in_turn' || timeoutMs === undefined) return ask(question);
  const deadlineMs = Date.now() + timeoutMs;
  // Should this fail, the question has the time it was last given, which is longer.
  await jobs.postpone(id, [key], deadlineMs).catch(() => undefined);
  return ask({ ...question, deadlineMs });
}

interface Put {
  readonly question: ClientQuestion;
  readonly job: JobId;
  readonly signal: AbortSignal;
}

/** Asks once; undefined if there is no answer because the question was withdrawn or its client is gone. */
async function put(call: ToolCall, { question, job, signal }: Put): Promise<StoredReply | undefined> {
  const timeout = Math.max(1, question.deadlineMs - Date.now());
  const request = markQuestion(call.connection, requestOf(question, job), { job, key: question.key });
  try {
    const result = await call.ctx.mcpReq.send(request, anything, { timeout, signal });
    return replyToQuestion(question.kind, result);
  } catch (error) {
    return signal.aborted ? undefined : replyOfError(error);
  }
}
