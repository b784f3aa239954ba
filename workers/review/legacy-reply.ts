/** One question to the client's model, and how far its answer can be used: as the tools of issue B read it, until they are on the ladder. */
import { type InputReply, whyUnanswered } from '../../src/core/input.js';
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { SamplingAnswer } from '../../src/core/sampling.js';
import { readJson } from './read-json.js';

/** What became of a question: an answer that was read, or why there is none. */
export type ModelReply<Value> =
  | {
      readonly kind: 'read';
      readonly value: Value;
      /** Whether the model was cut off by its token limit, so that more may be missing than can be seen. */
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
  /** The beginning of what came. */
  readonly rawAnswer?: string;
  readonly model?: string;
}

/** An answer's JSON as a value, or what is wrong with it. */
export type Parse<Value> = (
  json: unknown,
) => { readonly ok: true; readonly value: Value } | { ok: false; fault: string };

/** Characters of an unusable answer that are shown. */
const SHOWN = 8_000;

/** Judges a reply. Nothing but an answer of the asked form is `read`; every other end has a status of its own. */
export function readReply<Value>(reply: InputReply<SamplingAnswer>, parse: Parse<Value>): ModelReply<Value> {
  if (reply.kind !== 'answered') return unanswered(reply);
  const { text, truncated, model, stopReason } = reply.value;
  const named = model === undefined ? {} : { model };
  const json = readJson(text);
  const parsed = json.ok ? parse(json.value) : json;
  if (parsed.ok) return { kind: 'read', value: parsed.value, cut: truncated, ...named };
  const raw = text === '' ? {} : { rawAnswer: text.slice(0, SHOWN) };
  return { kind: 'unread', ...whyUnusable(stopReason, truncated, parsed.fault), ...raw, ...named };
}

function whyUnusable(
  stopReason: string | undefined,
  truncated: boolean,
  fault: string,
): Pick<Unread, 'status' | 'note'> {
  if (truncated)
    return { status: 'truncated', note: 'The model was cut off by its token limit before its answer could be used.' };
  if (stopReason === 'refusal') return { status: 'refused', note: 'The model refused to answer.' };
  return { status: 'unparseable', note: `The model answered, but its answer cannot be used: ${fault}.` };
}

function unanswered(reply: Exclude<InputReply<SamplingAnswer>, { kind: 'answered' }>): Unread {
  const note = `The model was not heard: ${whyUnanswered(reply)}.`;
  switch (reply.kind) {
    case 'unsupported':
      return {
        kind: 'unread',
        status: 'unavailable',
        note:
          'The client does not offer sampling, so its model could not be asked; nothing was sent to it. ' +
          'Use a client that offers sampling, or ask your model directly with the prompt in this result.',
      };
    case 'timed_out':
    case 'client_gone':
    case 'exhausted':
      return { kind: 'unread', status: reply.kind, note };
    case 'declined':
    case 'cancelled':
    case 'refused':
      return { kind: 'unread', status: 'refused', note };
    default:
      return reply satisfies never;
  }
}
