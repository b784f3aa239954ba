/** What the tools that use the client's model share: their limits, and the fields that say how far they got. */
import { z } from 'zod';
import { MODEL_WORK_STATUSES, type ModelWorkStatus } from '../core/model-work.js';
import type { ToolAnnotations, ToolLimits } from '../core/tool.js';

/** Characters of code in one call: 2 Mi. The body limit of HTTP (4 MiB unless set) leaves room for their escapes. */
const MAX_CODE_CHARS = 2_097_152;

/** Code as an argument. */
export const codeInput = z.string().min(1).max(MAX_CODE_CHARS).refine(isNotBlank, 'is blank');

/** A name that goes into a prompt, such as of a language: one line, so that it cannot pass for instructions. */
export const nameInput = z
  .string()
  .max(60)
  .refine(isNotBlank, 'is blank')
  .refine(isOneLine, 'must be one line of text');

/** Names the job, so that a call which may have been lost with its server can be made again. */
export const keyInput = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('The same key returns the same job instead of starting another.');

/** How far the client's model was heard: answers came, the user denied it, none came, it could not be asked, or did not have to be. */
export const SAMPLING_STATES = ['used', 'denied', 'unanswered', 'unavailable', 'not_asked'] as const;

/** What the end of an unread question says of sampling; an answer that cannot be used is an answer. */
export function samplingOf({
  status,
  denied = false,
}: {
  readonly status: ModelWorkStatus;
  readonly denied?: boolean;
}): (typeof SAMPLING_STATES)[number] {
  if (denied) return 'denied';
  if (status === 'unavailable') return 'unavailable';
  return NOT_HEARD.includes(status) ? 'unanswered' : 'used';
}

const NOT_HEARD: readonly ModelWorkStatus[] = ['failed', 'timed_out', 'client_gone', 'exhausted'];

/** The field that says whether the client's model was heard. */
export const samplingField = {
  sampling: z
    .enum(SAMPLING_STATES)
    .describe(
      'Whether your model was heard; denied by the user, unanswered, unavailable since the client offers none, or not_asked.',
    ),
};

/** Fields of every result of the model's work. */
export const modelWorkFields = {
  job_id: z.string(),
  status: z
    .enum(MODEL_WORK_STATUSES)
    .describe('Only complete means that nothing is missing. Any other status is no verdict on the code.'),
  complete: z.boolean().describe('Whether status is complete.'),
  summary: z.string(),
  model: z.string().optional().describe('The model that answered, as the client named it.'),
  notes: z.array(z.string()).describe('What is missing and why.'),
  prompt: z
    .string()
    .optional()
    .describe('If status is unavailable: what to ask a model yourself, with the code below it.'),
  raw_answer: z
    .string()
    .optional()
    .describe('The beginning of an answer that could not be used, as the model gave it.'),
};

/** An answer by the client's model changes nothing, and differs from one call to the next. */
export const MODEL_WORK_ANNOTATIONS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** The time limit holds for one run, which ends whenever it waits for the model. */
export const MODEL_WORK_LIMITS: ToolLimits = { timeoutMs: 120_000, attempts: 3, backoffMs: 1_000 };

/** What a rendered result ends with. */
export interface ModelWorkEnd {
  readonly notes: readonly string[];
  readonly prompt?: string | undefined;
  readonly raw_answer?: string | undefined;
}

/** The end of a rendered result: its notes, and the answer or the prompt that the reader is left with. */
export function closingText(result: ModelWorkEnd): string[] {
  const { notes, prompt, raw_answer } = result;
  return [
    notes.map((note) => `- ${note}`).join('\n'),
    prompt === undefined ? '' : `To ask a model yourself, put this to it with the code below it:\n\n${fenced(prompt)}`,
    raw_answer === undefined ? '' : `The answer as it came:\n\n${fenced(raw_answer)}`,
  ];
}

/** Text in a fence that is longer than any within it. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}

function isOneLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}
