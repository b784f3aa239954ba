/** The hand-off: a job that its caller finishes with `submit_review`, and the preliminary result it holds until then. */
import { z } from 'zod';
import type { Question } from './input.js';
import type { JsonObject, JsonValue } from './json.js';

/** The tool that takes submissions. */
export const SUBMIT_TOOL = 'submit_review';

/** How a hand-off stands: waited for, made, or not made by its deadline. */
export const HAND_OFF_STATES = ['awaited', 'submitted', 'lapsed'] as const;

/** See `HAND_OFF_STATES`. */
export type HandOffState = (typeof HAND_OFF_STATES)[number];

/** A job's latest hand-off, as its record names it; what is handed over lies with the job's questions. */
export interface HandOff {
  readonly key: string;
  readonly state: HandOffState;
}

/** What a handler hands over. */
export interface HandOffRequest {
  /** A result of the tool, in the shape of its contract's output: what the call returns now, before the job is done. */
  readonly output: object;
  /** Milliseconds to wait; as configured unless said, six days at most, since an unfinished job is forgotten after seven. */
  readonly timeoutMs?: number;
}

/** What came of a hand-off; `value` is JSON that nobody has judged, with its secrets replaced. */
export type HandOffReply = { readonly kind: 'answered'; readonly value: JsonValue } | { readonly kind: 'timed_out' };

const handedOver = z.object({
  output: z.record(z.string(), z.unknown()).transform((value) => value as JsonObject),
});

/** The preliminary result in a question of kind `submission`. */
export function preliminaryOf(question: Question): JsonObject {
  return handedOver.parse(question.request).output;
}
