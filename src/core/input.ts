/** Questions a job puts to its client, and the answers: every way one can end is a value of its own. */
import { z } from 'zod';
import type { JsonValue } from './json.js';
import { traceContextSchema } from './tracing.js';

/** What a client can be asked: its model, its user, or the folders it works in. */
const CLIENT_KINDS = ['sampling', 'elicitation', 'roots'] as const;

/** See `CLIENT_KINDS`. */
export type ClientInputKind = (typeof CLIENT_KINDS)[number];

/**
 * All that a job can wait for: a client's answers, what any call of its owner submits (see `hand-off.ts`), or the outcome
 * of a part of it (see `part.ts`).
 */
const INPUT_KINDS = [...CLIENT_KINDS, 'submission', 'part'] as const;

/** See `INPUT_KINDS`. */
export type InputKind = (typeof INPUT_KINDS)[number];

const json = z.custom<JsonValue>((value) => value !== undefined);

/**
 * A question as it is stored: `request` holds the parameters of the MCP request, or what is handed over; `deadlineMs` is an
 * epoch time.
 */
export const questionSchema = z.object({
  key: z.string(),
  kind: z.enum(INPUT_KINDS),
  request: json,
  /** Fingerprint of kind and request: a re-run that asks something else under the same key is a fault. */
  fingerprint: z.string(),
  deadlineMs: z.number(),
  /** How long the client has, in milliseconds, counted anew for a question that had to queue before it was put. */
  timeoutMs: z.number().optional(),
  /** Parts of names of the models whose answer counts, as configured when this was asked; any, if absent. */
  models: z.array(z.string()).optional(),
  /** The span of the run that asked, and when, in epoch milliseconds; absent where nothing is traced. */
  traced: z.object({ by: traceContextSchema, atMs: z.number() }).optional().catch(undefined),
});

/** See `questionSchema`. */
export type Question = z.infer<typeof questionSchema>;

/** A question that is put to a client. */
export type ClientQuestion = Question & { readonly kind: ClientInputKind };

/** Whether a question is put to a client; the others wait for a call, or for a part of the job. */
export function isForClient(question: Question): question is ClientQuestion {
  return question.kind !== 'submission' && question.kind !== 'part';
}

/** What a question can be too much for: the budget of its job or session, or the size of one request. */
const BUDGET_SCOPES = ['job', 'session', 'input'] as const;

/** See `BUDGET_SCOPES`. */
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/**
 * How a question ended, as it is stored. `answered` carries what the client sent, unjudged; `declined` and `cancelled` are
 * the user's choice in a form; `refused` is an error that says the user would not have it; `failed` any other error, or an
 * answer that cannot be taken; `client_gone` means its session ended for good; `exhausted` that it was never put, since a
 * limit of this server left no room for it.
 */
export const replySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered'), value: json }),
  z.object({ kind: z.literal('declined') }),
  z.object({ kind: z.literal('cancelled') }),
  z.object({ kind: z.literal('refused'), message: z.string() }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
  z.object({ kind: z.literal('timed_out') }),
  z.object({ kind: z.literal('client_gone') }),
  z.object({ kind: z.literal('unsupported'), missing: z.enum(CLIENT_KINDS) }),
  z.object({ kind: z.literal('exhausted'), scope: z.enum(BUDGET_SCOPES), message: z.string() }),
]);

/** See `replySchema`. */
export type StoredReply = z.infer<typeof replySchema>;

/** A reply as a handler gets it, with the answer in a form of ours. */
export type InputReply<Answer> =
  | { readonly kind: 'answered'; readonly value: Answer }
  | Exclude<StoredReply, { kind: 'answered' }>;

/** A question and, once there is one, its reply. */
export interface Input {
  readonly question: Question;
  readonly reply?: StoredReply;
}

/** The questions that have no reply yet. */
export function openIn(inputs: readonly Input[]): Question[] {
  return inputs.flatMap(({ question, reply }) => (reply ? [] : [question]));
}

/** What a client declared when the job was submitted. */
export const clientSchema = z.object({
  sampling: z.boolean(),
  /** Whether sampling requests may offer tools. */
  samplingTools: z.boolean(),
  /** Whether forms can be shown; URL mode alone does not count. */
  elicitation: z.boolean(),
  roots: z.boolean(),
});

/** See `clientSchema`. */
export type ClientAbilities = z.infer<typeof clientSchema>;

/** A client that can be asked nothing, such as the command line. */
export const NO_ABILITIES: ClientAbilities = {
  sampling: false,
  samplingTools: false,
  elicitation: false,
  roots: false,
};

/** In a handful of words, why there is no answer; for handlers that tell their caller. */
export function whyUnanswered(reply: Exclude<StoredReply, { kind: 'answered' }>): string {
  switch (reply.kind) {
    case 'declined':
      return 'the user declined';
    case 'cancelled':
      return 'the user closed the question without an answer';
    case 'refused':
      return `the client refused: ${reply.message}`;
    case 'failed':
      return `the client failed to answer: ${reply.message}`;
    case 'timed_out':
      return 'the client did not answer in time';
    case 'client_gone':
      return 'the client ended its session before it answered';
    case 'unsupported':
      return `the client does not offer ${reply.missing}`;
    case 'exhausted':
      return `it was not asked: ${reply.message}`;
    default:
      return reply satisfies never;
  }
}
