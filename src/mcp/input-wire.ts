/** Questions as MCP requests, and what comes back as replies. */
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JobId } from '../core/ids.js';
import type { ClientAbilities, ClientInputKind, ClientQuestion, StoredReply } from '../core/input.js';
import type { JsonValue } from '../core/json.js';
import { contextOfSpan, questionSpanName } from '../core/tracing.js';
import type { Capabilities } from './front-end.js';

/** The method that puts each kind of question. */
export const METHODS = {
  sampling: 'sampling/createMessage',
  elicitation: 'elicitation/create',
  roots: 'roots/list',
} as const satisfies Record<ClientInputKind, string>;

/** What a client can be asked, by the capabilities it declared; `elicitation: {}` means forms (2025-11-25, Elicitation). */
export function abilitiesOf(capabilities: Capabilities | undefined): ClientAbilities {
  const { sampling, elicitation, roots } = capabilities ?? {};
  const urlOnly = elicitation?.url !== undefined && elicitation.form === undefined;
  return {
    sampling: sampling !== undefined,
    samplingTools: sampling?.tools !== undefined,
    elicitation: elicitation !== undefined && !urlOnly,
    roots: roots !== undefined,
  };
}

/** The request that puts a question of a job; where that is traced, what the client does for it belongs to the question. */
export function requestOf(
  question: ClientQuestion,
  job: JobId,
): {
  method: (typeof METHODS)[ClientInputKind];
  params?: Record<string, unknown>;
} {
  const { kind, key, traced } = question;
  const method = METHODS[kind];
  const params = kind === 'roots' ? {} : { ...Object(question.request) };
  if (traced) params._meta = { ...Object(params._meta), ...contextOfSpan(traced.by, questionSpanName(job, key)) };
  return kind === 'roots' && !traced ? { method } : { method, params };
}

/** What is kept of an error's words is less; it is cut once its secrets are gone. */
const LONGEST_WORDS = 4_000;

const object = z.record(z.string(), z.unknown());
const elicited = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']) });
const sampled = z.looseObject({ content: z.union([object, z.array(object)]) });
const rooted = z.looseObject({ roots: z.array(object) });

/** A client's result as a reply; undefined if it is malformed. Sampling answers may have any content at all. */
export function replyOf(kind: ClientInputKind, result: unknown): StoredReply | undefined {
  if (kind === 'elicitation') {
    const action = elicited.safeParse(result).data?.action;
    if (action === 'decline') return { kind: 'declined' };
    if (action === 'cancel') return { kind: 'cancelled' };
    return action && answered(result);
  }
  const fits = (kind === 'sampling' ? sampled : rooted).safeParse(result).success;
  return fits ? answered(result) : undefined;
}

const MALFORMED: StoredReply = { kind: 'failed', message: 'its answer was malformed' };

/** As `replyOf`, for a client that cannot be asked to mend its result. */
export function replyToQuestion(kind: ClientInputKind, result: unknown): StoredReply {
  return replyOf(kind, result) ?? MALFORMED;
}

/** An error of a question as a reply; undefined if it only means that the client is gone or the call is over. */
export function replyOfError(error: unknown): StoredReply | undefined {
  if (error instanceof SdkError) return error.code === SdkErrorCode.RequestTimeout ? { kind: 'timed_out' } : undefined;
  if (!(error instanceof ProtocolError)) return undefined;
  return { kind: isDenial(error) ? 'refused' : 'failed', message: error.message.slice(0, LONGEST_WORDS) };
}

/** The code of a user's "no" (2025-11-25, Sampling, Error Handling). */
const USER_REJECTED = -1;
/** Many clients say it by their words alone, under the code of an internal error or one of their own. */
const NO = /\b(?:reject|refus|den[iy]|declin|dismiss)/i;
const WHOSE = /\b(?:user|human|sampling request)\b/i;
/** And some put under either what no user decided. */
const LIMIT = /rate.?limit|too many requests|quota|overload/i;

function isDenial({ code, message }: ProtocolError): boolean {
  if (LIMIT.test(message)) return false;
  return code === USER_REJECTED || (NO.test(message) && WHOSE.test(message));
}

function answered(result: unknown): StoredReply {
  // What the SDK hands over was parsed from JSON.
  return { kind: 'answered', value: result as JsonValue };
}
