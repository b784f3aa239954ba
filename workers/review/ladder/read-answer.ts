/** The ladder from a model's answer to what it was asked for: the strictest rung that holds, or none. Never throws. */
import { jsonrepair } from 'jsonrepair';
import type { SamplingAnswer } from '../../../src/core/sampling.js';
import { closedRegions, closingOf, outsideStrings } from './brackets.js';
import { fencedBlocks } from './fences.js';
import type { Fault, Form } from './form.js';
import { withoutThinking } from './thinking.js';

/** Which rung of the ladder an answer was read on. */
export type Rung = 'tool' | 'whole' | 'fence' | 'region' | 'repaired' | 'salvaged';

/** An answer as it was read, or why it cannot be. */
export type Reading<Value> =
  | {
      readonly kind: 'read';
      readonly value: Value;
      readonly faults: readonly Fault[];
      readonly rung: Rung;
      /** Whether the answer breaks off, or left parts out, so that more may be missing than can be seen. */
      readonly cut: boolean;
    }
  | { readonly kind: 'unread'; readonly why: 'unparseable' | 'truncated' | 'refused'; readonly fault: Fault };

/** What of an answer is looked at. */
export type AnswerText = Pick<SamplingAnswer, 'text' | 'toolCalls' | 'truncated' | 'stopReason'>;

/** Characters of the longest answer that is looked at; no token limit of ours allows for more. */
const LONGEST = 1_000_000;
/** Longer candidates are not repaired: repair builds a text of its own, letter by letter. */
const LONGEST_REPAIRED = 200_000;
/** Candidates that are repaired at most. */
const MOST_REPAIRED = 4;
/** Refusals are short; a long answer without JSON is something else. */
const LONGEST_REFUSAL = 2_000;
const REFUSAL =
  /\b(?:I|we)(?: am|'m|’m|'re)? (?:(?:really |very )?sorry|unable to|not able to|cannot|can(?:'|’)t|can not|won(?:'|’)t|will not|must decline|decline to|refuse)\b|\bas an AI\b/i;
/** Marks by which a model says that it left items out: an ellipsis, or a comment on what is not there. */
const LEFT_OUT = /\.\.\.|…|(?:\/[/*]|#)[^\n]*\b(?:omit|remain|rest|more|other|similar|continu|truncat|etc|same)/i;

/** Reads an answer. `tool` names the tool whose arguments are an answer of this form, where one was offered. */
export function readAnswer<Value>(answer: AnswerText, form: Form<Value>, tool?: string): Reading<Value> {
  const called = answer.toolCalls.findLast(({ name }) => name === tool);
  const { text } = answer;
  if (text.length > LONGEST) return unread(answer, whole(`it is longer than ${LONGEST} characters`));
  const judge = createJudge(answer, form);
  const read =
    (called && (judge('tool', [{ value: called.input, alone: true }]) ?? judge.nothing())) ??
    climb(text, { judge, answer, form });
  return read ?? unread(answer, judge.fault() ?? whole(emptyOr(answer, 'it is not the JSON that was asked for')));
}

/** A value that may be the answer; `alone` if nothing beside it speaks against an empty list. */
interface Candidate {
  readonly value: unknown;
  readonly alone: boolean;
  /** Whether it may be a piece of something that broke off. */
  readonly loose?: boolean;
}

interface Judge<Value> {
  (rung: Rung, candidates: Iterable<Candidate>): Reading<Value> | undefined;
  /** What was wrong with the first candidate that held JSON. */
  fault(): Fault | undefined;
  /** An empty list that nothing beside it spoke against. */
  nothing(): Reading<Value> | undefined;
}

/** Takes the first candidate of the form; one that holds no items waits for one that does. */
function createJudge<Value>(answer: AnswerText, form: Form<Value>): Judge<Value> {
  let wrong: Fault | undefined;
  let nothing: Reading<Value> | undefined;
  type Read = { readonly value: Value; readonly faults: readonly Fault[] };
  const reading = (rung: Rung, { value, faults }: Read, loose: boolean): Reading<Value> => {
    return { kind: 'read', value, faults, rung, cut: answer.truncated || rung === 'salvaged' || loose };
  };
  const judge = (rung: Rung, candidates: Iterable<Candidate>): Reading<Value> | undefined => {
    for (const { value, alone, loose = false } of candidates) {
      const read = form.read(value);
      if (!read.ok) wrong ??= read.fault;
      else if (!read.empty) return reading(rung, read, loose);
      else if (alone) nothing ??= reading(rung, read, loose);
      else wrong ??= whole('an empty list stands amid other text');
    }
    return undefined;
  };
  return Object.assign(judge, { fault: () => wrong, nothing: () => nothing });
}

function climb<Value>(
  raw: string,
  { judge, answer, form }: { judge: Judge<Value>; answer: AnswerText; form: Form<Value> },
): Reading<Value> | undefined {
  const alone = answer.stopReason !== 'refusal';
  const strict = judge('whole', parsed([raw], alone)) ?? judge.nothing();
  if (strict) return strict;
  const text = withoutThinking(raw);
  const blocks = fencedBlocks(text);
  const regions = closedRegions(text).map(({ start, end, loose }) => ({ text: text.slice(start, end), loose }));
  regions.reverse();
  const inRegion = regions.flatMap(({ text: one, loose }) =>
    [...parsed([one], false)].map((value) => ({ ...value, loose })),
  );
  const closed = [text, ...[...blocks, ...regions.filter(({ loose }) => !loose)].map((one) => one.text)];
  const inFence = blocks.flatMap((block) => [...parsed([block.text], alone && !REFUSAL.test(block.around))]);
  return (
    judge('whole', parsed([text], alone)) ??
    judge('fence', inFence) ??
    judge('region', inRegion) ??
    judge.nothing() ??
    (answer.truncated ? undefined : judge('repaired', repaired(closed))) ??
    salvage(text, judge, form)
  );
}

function* parsed(texts: readonly string[], alone: boolean): Generator<Candidate> {
  for (const text of texts) {
    const value = parseJson(text);
    if (value !== undefined) yield { value, alone };
  }
}

/** Only what is closed is repaired, so that repair never closes what broke off; marks of items left out are left alone. */
function* repaired(texts: readonly string[]): Generator<Candidate> {
  let left = MOST_REPAIRED;
  for (const text of new Set(texts.map((one) => one.trim()))) {
    if (!isWhole(text) || left === 0) continue;
    left -= 1;
    const value = repair(text);
    if (value !== undefined) yield { value, alone: false };
  }
}

function isWhole(text: string): boolean {
  const begins = text.startsWith('{') || text.startsWith('[');
  if (!begins || text.length > LONGEST_REPAIRED || closingOf(text, 0) !== text.length) return false;
  return !LEFT_OUT.test(outsideStrings(text));
}

function repair(text: string): unknown {
  try {
    return parseJson(jsonrepair(text));
  } catch {
    return undefined;
  }
}

function salvage<Value>(text: string, judge: Judge<Value>, form: Form<Value>): Reading<Value> | undefined {
  const value = form.salvage?.(text);
  return value === undefined ? undefined : judge('salvaged', [{ value, alone: false }]);
}

/** `undefined` is no JSON value, so it serves to say that there is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

function unread({ text, truncated, stopReason }: AnswerText, fault: Fault): Reading<never> {
  if (truncated) return { kind: 'unread', why: 'truncated', fault };
  const said = text.length <= LONGEST_REFUSAL && !text.includes('{') && REFUSAL.test(text);
  return { kind: 'unread', why: stopReason === 'refusal' || said ? 'refused' : 'unparseable', fault };
}

function emptyOr({ text, toolCalls }: AnswerText, otherwise: string): string {
  if (text.trim() !== '') return otherwise;
  return toolCalls.length > 0 ? 'it calls a tool and says nothing' : 'it holds no text';
}

function whole(message: string): Fault {
  return { path: 'answer', message };
}
