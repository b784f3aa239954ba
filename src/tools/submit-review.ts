/** The contract of `submit_review`: the findings of a calling model, for a job that was handed over to it. */
import { z } from 'zod';
import { CATEGORIES, SEVERITIES } from '../core/finding.js';
import { SUBMIT_TOOL } from '../core/hand-off.js';
import { nestsDeeper } from '../core/json.js';
import type { PublishedTool } from '../core/tool.js';

const MOST_FINDINGS = 2_000;
/** Characters of JSON in one submission: 1 Mi. */
const MAX_CHARS = 1_048_576;

/** Nothing that is asked for nests deeper than three; what nests thousands deep would exhaust the stack of whoever reads it. */
const MAX_DEPTH = 32;
const TOO_DEEP = { error: `nests deeper than ${MAX_DEPTH}`, abort: true };

const text = { type: 'string' } as const;
const score = { type: ['integer', 'null'], minimum: 1, maximum: 10 } as const;

/** Published, not enforced: each finding is judged by itself when the job goes on, so that one bad one spoils no others. */
const FINDING = {
  type: 'object',
  properties: {
    file: { ...text, description: 'As the packet names it; may be left out if there is only one.' },
    line: { type: 'integer', minimum: 1 },
    end_line: { type: 'integer', minimum: 1 },
    quote: { ...text, description: 'The code at that line, word for word. What is not in the file is dropped.' },
    severity: { enum: [...SEVERITIES] },
    category: { enum: [...CATEGORIES] },
    title: text,
    message: text,
    confidence: { type: 'number', minimum: 0, maximum: 1 },
  },
  required: ['line', 'quote', 'severity', 'category', 'title', 'message'],
};

const SCORES = {
  type: 'object',
  properties: Object.fromEntries(CATEGORIES.map((category) => [category, score])),
};

const input = z.object({
  job_id: z.string().min(1).max(100).describe('The job that was handed over, as its preliminary result names it.'),
  findings: z
    .preprocess(
      unwrapped,
      z
        .array(z.unknown().meta(FINDING))
        .max(MOST_FINDINGS)
        .refine(isFlat, TOO_DEEP)
        .refine(fits, `is longer than ${MAX_CHARS} characters of JSON; submit the worst findings only`),
    )
    .describe('All findings at once. An empty list says that there are none, which is a right answer.'),
  summary: z.string().max(20_000).optional().describe('The review in a few sentences.'),
  scores: z
    .unknown()
    .refine(isFlat, TOO_DEEP)
    .refine(fits, `is longer than ${MAX_CHARS} characters of JSON`)
    .meta({ ...SCORES, description: 'Whole numbers from 1 to 10, 10 the best, or null.' })
    .optional(),
});

/** Whatever the job's own tool returns: each has a schema of its own. */
const output = z.looseObject({}).describe("The job's result, in the output schema of the tool that was called first.");

/** Finishes a job that was handed over; works from any session of the job's owner. */
export const submitReview: PublishedTool<typeof input, typeof output> = {
  name: SUBMIT_TOOL,
  title: 'Submit a review',
  description:
    'Finishes a job that was handed over to you: a tool that could not ask your model returned a preliminary result with a ' +
    'review packet and its job id. Do what the packet says and submit all findings here, once. They are checked, anchored to the ' +
    'code and scored, and the finished result is returned. A job that already has its submission returns its result.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  render: (result) => JSON.stringify(result, null, 2),
};

/** Models send lists as text, and the packet's own `{"findings": […]}` where its list is asked for. */
function unwrapped(value: unknown): unknown {
  const read = typeof value === 'string' ? (parsed(value) ?? value) : value;
  const inner: unknown = typeof read === 'object' && read !== null && 'findings' in read ? read.findings : undefined;
  return Array.isArray(inner) ? inner : read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFlat(value: unknown): boolean {
  return !nestsDeeper(value, MAX_DEPTH);
}

function fits(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').length <= MAX_CHARS;
}
