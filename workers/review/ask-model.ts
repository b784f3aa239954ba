/** One question to the client's model: its answer is read on the ladder, and asked again where it can be mended. */
import { type InputReply, whyUnanswered } from '../../src/core/input.js';
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { SamplingAnswer, SamplingMessage, SamplingRequest } from '../../src/core/sampling.js';
import type { HandlerContext } from '../../src/core/tool.js';
import type { Fault, Form } from './ladder/form.js';
import { readAnswer } from './ladder/read-answer.js';
import { untilDone } from './until-done.js';

/** What became of a question: an answer that was read, or why there is none. */
export type ModelReply<Value> =
  | {
      readonly kind: 'read';
      readonly value: Value;
      /** Items that cannot be used and were not mended. */
      readonly faults: readonly Fault[];
      /** Whether the model was cut off or left parts out, so that more may be missing than can be seen. */
      readonly cut: boolean;
      readonly model?: string;
    }
  | Unread;

/** A question without an answer that can be used. */
export interface Unread {
  readonly kind: 'unread';
  readonly status: Exclude<ModelWorkStatus, 'complete' | 'partial'>;
  /** A sentence for the reader. */
  readonly note: string;
  /** Whether the user would not have the model asked. */
  readonly denied?: boolean;
  /** The beginning of what came. */
  readonly rawAnswer?: string;
  readonly model?: string;
}

/** What is asked under which key, and how its answer reads. */
export interface ModelQuestion<Value> {
  /** Names the question in its job; its repairs are `key:repair1` and `key:repair2`. */
  readonly key: string;
  readonly request: SamplingRequest;
  readonly form: Form<Value>;
  /** Repairs at most; 2 unless the caller's rounds are scarce. */
  readonly repairs?: number;
}

/** Times that an answer which cannot be used is asked for again. */
export const MOST_REPAIRS = 2;
/** Characters of an unusable answer that are shown to the caller. */
const SHOWN = 8_000;
/** Characters of an unusable answer that are put back into the conversation. */
const RECALLED = 4_000;

interface Turn<Value> {
  readonly reply: ModelReply<Value>;
  readonly answer?: SamplingAnswer;
  readonly fault?: Fault;
}

/**
 * Asks, and asks again for what cannot be used, naming only the path at fault. What one answer lacked and the next has is
 * joined. Nothing but an answer of the asked form is `read`; every other end has a status of its own.
 */
export async function askModel<Value>(
  context: Pick<HandlerContext, 'sample'>,
  question: ModelQuestion<Value>,
): Promise<ModelReply<Value>> {
  const repairs = Math.min(question.repairs ?? MOST_REPAIRS, MOST_REPAIRS);
  const { result } = await untilDone<Turn<Value>>({
    most: 1 + repairs,
    isDone: (turn) => turn.fault === undefined,
    ask: async (round, before) => {
      const key = round === 1 ? question.key : `${question.key}:repair${round - 1}`;
      const turn = readTurn(await context.sample(key, requestAfter(question.request, before)), question);
      return joined(question.form, before, turn);
    },
  });
  return result.reply;
}

/** Judges a single reply, without asking again. */
export function readReply<Value>(reply: InputReply<SamplingAnswer>, form: Form<Value>): ModelReply<Value> {
  return readTurn(reply, { form }).reply;
}

function readTurn<Value>(
  reply: InputReply<SamplingAnswer>,
  { form, request }: { readonly form: Form<Value>; readonly request?: SamplingRequest },
): Turn<Value> {
  if (reply.kind !== 'answered') return { reply: unanswered(reply) };
  const answer = reply.value;
  const { text, model } = answer;
  const named = model === undefined ? {} : { model };
  const read = readAnswer(answer, form, request?.tools?.[0]?.name);
  if (read.kind === 'read') {
    const { value, faults, cut } = read;
    const [fault] = cut ? [] : faults;
    return { reply: { kind: 'read', value, faults, cut, ...named }, answer, ...(fault && { fault }) };
  }
  const raw = text === '' ? {} : { rawAnswer: text.slice(0, SHOWN) };
  const unread: Unread = {
    kind: 'unread',
    status: read.why,
    note: whyUnusable(read.why, read.fault),
    ...raw,
    ...named,
  };
  return { reply: unread, answer, ...(read.why === 'unparseable' && { fault: read.fault }) };
}

function whyUnusable(why: 'unparseable' | 'truncated' | 'refused', { path, message }: Fault): string {
  if (why === 'truncated') return 'The model was cut off by its token limit before its answer could be used.';
  if (why === 'refused') return 'The model refused to answer.';
  return `The model answered, but its answer cannot be used: ${path === 'answer' ? '' : `${path}: `}${message}.`;
}

/** A repair takes nothing away: what was read before stays, and is only joined by what came after. */
function joined<Value>(form: Form<Value>, before: Turn<Value> | undefined, after: Turn<Value>): Turn<Value> {
  if (!before) return after;
  const { reply: earlier } = before;
  // Whoever will not answer again has answered once; what was wrong with that stays, and is not asked for any more.
  if (!after.answer) return { reply: earlier.kind === 'read' ? earlier : unmended(earlier, after.reply) };
  if (earlier.kind !== 'read') return after;
  if (after.reply.kind !== 'read') return after.fault ? { ...before, answer: after.answer } : { reply: earlier };
  return { ...after, reply: { ...after.reply, value: form.merge(earlier.value, after.reply.value) } };
}

function unmended(earlier: Unread, later: ModelReply<unknown>): Unread {
  return later.kind === 'read' ? earlier : { ...earlier, note: `${earlier.note} Asked again: ${later.note}` };
}

/** The conversation goes on: what came, and which path of it is at fault; the words of the answer are not repeated as ours. */
function requestAfter(request: SamplingRequest, before: Turn<unknown> | undefined): SamplingRequest {
  if (!before?.fault) return request;
  const said = before.answer?.text.trim().slice(0, RECALLED) ?? '';
  const again: SamplingMessage[] = [
    { role: 'assistant', text: said === '' ? '(no text)' : said },
    {
      role: 'user',
      text: `That answer cannot be used. At fault: ${before.fault.path}. Give the whole answer again, by the same rules and in the same form.`,
    },
  ];
  return { ...request, messages: [...request.messages, ...again] };
}

function unanswered(reply: Exclude<InputReply<SamplingAnswer>, { kind: 'answered' }>): Unread {
  const note = `The model was not heard: ${whyUnanswered(reply).replace(/\.$/, '')}.`;
  switch (reply.kind) {
    case 'unsupported':
      return {
        kind: 'unread',
        status: 'unavailable',
        note:
          'The client does not offer sampling, so its model could not be asked; nothing was sent to it. ' +
          'Use a client that offers sampling, or ask your model directly with the prompt in this result.',
      };
    case 'failed':
    case 'timed_out':
    case 'client_gone':
    case 'exhausted':
      return { kind: 'unread', status: reply.kind, note };
    case 'declined':
    case 'cancelled':
    case 'refused':
      return { kind: 'unread', status: 'refused', note, denied: true };
    default:
      return reply satisfies never;
  }
}
