/** Messages for what another front end serves: carried out from the stored record, and told to whoever that may be. */
import { type JSONRPCMessage, ProtocolError } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import type { StoredReply } from '../core/input.js';
import type { JsonObject } from '../core/json.js';
import type { OpenQuestion, RequestId, SessionHint } from '../core/session-records.js';
import type { FrontEnd } from './front-end.js';
import { cancelledId, reasonOf } from './guard.js';
import { replyOfError, replyToQuestion } from './input-wire.js';
import { isFailure, isNotification, isResponse, isResult } from './message-kind.js';
import { questionName } from './open-call.js';
import type { Session } from './session.js';
import { leaveLine } from './shared-slots.js';

/**
 * What is to be done about a notification or response beyond what this front end does itself; judged before the session hears
 * it, done afterwards. Rejects if the store is away and the message would be lost.
 */
export function relayOf(frontEnd: FrontEnd, session: Session, message: JSONRPCMessage): () => Promise<void> {
  if (isResponse(message)) {
    const question = session.wire.awaited(message);
    if (question === undefined) return () => answerElsewhere(frontEnd, session, message);
    // Whoever put it stores its answer as well, but may die while Redis is away.
    return question === 'other' ? nothing : () => keepAnswer(frontEnd, session, { question, message });
  }
  if (!isNotification(message)) return nothing;
  const id = cancelledId(message);
  if (id !== undefined) {
    const reason = reasonOf(message);
    return session.guard.isInFlight(id) ? nothing : () => cancelElsewhere(frontEnd, session, { id, reason });
  }
  const change = CHANGES[message.method];
  // A client that is ready, or has other roots, need not say so twice: what could not be stored now is stored later.
  return change ? () => session.connection.share(change).catch(() => undefined) : nothing;
}

const CHANGES: Readonly<Record<string, { readonly kind: 'initialized' | 'roots_changed' } | undefined>> = {
  'notifications/initialized': { kind: 'initialized' },
  'notifications/roots/list_changed': { kind: 'roots_changed' },
};

const nothing = (): Promise<void> => Promise.resolve();

/** The record is dropped first: from then on its owner can send nothing more about the call, dead or alive. */
async function cancelElsewhere(
  frontEnd: FrontEnd,
  { link, connection }: Session,
  { id, reason }: { readonly id: RequestId; readonly reason: string },
): Promise<void> {
  const call = await link.use((store) => store.drop(link.session, id));
  if (!call) return;
  await link.tell({ kind: 'cancel', id, reason }).catch(() => undefined);
  if (call.job === undefined) return;
  const jobs = await frontEnd.jobs();
  await jobs.cancel(call.job, connection.principal, reason).catch((error: unknown) => {
    // Its owner is about to submit it, and cancels it then.
    if (!(error instanceof AppError && error.code === 'job_not_found')) throw error;
  });
}

/** Whoever put the question hears of the answer first, so that it does not withdraw what was answered. */
async function answerElsewhere(frontEnd: FrontEnd, session: Session, message: JSONRPCMessage): Promise<void> {
  const { link } = session;
  const wireId = 'id' in message ? String(message.id) : '';
  const question = await link.use((store) => store.question(link.session, wireId));
  if (!question) return;
  await link.tell({ kind: 'answer', message: { ...message } as unknown as JsonObject }).catch(() => undefined);
  await keepAnswer(frontEnd, session, { question, message });
  const { job, key } = question;
  // Whoever put it may be dead, and its place is free now.
  if (job !== undefined && key !== undefined) await leaveLine(link, questionName({ job, key }));
}

interface Answer {
  readonly question: OpenQuestion;
  readonly message: JSONRPCMessage;
}

/** Stores what a client answered, and only then forgets the question: until it hears of that, it may say it again anywhere. */
async function keepAnswer(frontEnd: FrontEnd, { link }: Session, { question, message }: Answer): Promise<void> {
  const reply = replyIn(question, message);
  const { job, key, wireId } = question;
  if (job !== undefined && key !== undefined && reply) await (await frontEnd.jobs()).answer(job, key, reply);
  await link.use((store) => store.settle(link.session, wireId));
}

function replyIn({ kind }: OpenQuestion, message: JSONRPCMessage): StoredReply | undefined {
  if (isResult(message)) return replyToQuestion(kind, message.result);
  if (!isFailure(message)) return undefined;
  return replyOfError(new ProtocolError(message.error.code, message.error.message));
}

/** Does what another front end tells of a session; ending it is its table's business. */
export function heed(session: Session, hint: SessionHint): void {
  const { guard, wire, calls } = session;
  if (hint.kind === 'cancel') {
    const params = { requestId: hint.id, reason: hint.reason };
    wire.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }
  if (hint.kind === 'answer') wire.hear(hint.message as unknown as JSONRPCMessage);
  const live = hint.kind === 'taken' ? calls.byId.get(hint.id) : undefined;
  if (hint.kind === 'taken' && live && live.owner !== hint.owner) guard.forgo(hint.id);
  if (hint.kind === 'place') session.connection.questionSlots.look();
  if (hint.kind === 'changed') refresh(session);
}

function refresh({ link, shared }: Session): void {
  link.try(async (store) => {
    const now = await store.admit(link.session, { hold: false });
    if (now.kind === 'live') shared.apply(now.state);
  });
}
