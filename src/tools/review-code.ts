/** The contract of `review_code`: a review by the client's own model, in two rounds. */

import { z } from 'zod';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolContract } from '../core/tool.js';
import {
  closingText,
  codeInput,
  fenced,
  keyInput,
  MODEL_WORK_ANNOTATIONS,
  MODEL_WORK_LIMITS,
  modelWorkFields,
  nameInput,
  samplingField,
} from './model-work.js';
import { coverageText, findingsText, packetText, reviewFields } from './review-result.js';

/** What a review looks for; `all` adds plain mistakes. */
const REVIEW_FOCUSES = ['security', 'performance', 'readability', 'all'] as const;

const input = z.object({
  code: codeInput.describe('The code to review, at most 2 MiB.'),
  language: nameInput.describe('Its programming language, such as "TypeScript".'),
  focus: z.enum(REVIEW_FOCUSES).default('all').describe('What to look for. Default all.'),
  idempotency_key: keyInput,
});

const output = z.object({
  ...modelWorkFields,
  ...samplingField,
  language: z.string(),
  focus: z.enum(REVIEW_FOCUSES),
  ...reviewFields,
  revised_code: z.string().optional().describe('The whole code with all fixes that do not overlap.'),
});

type Output = z.output<typeof output>;

/** Reviews code with the model of the calling client: finds issues, then mends them. */
export const reviewCode: ToolContract<typeof input, typeof output> = {
  name: 'review_code',
  title: 'Review code',
  description:
    'Reviews code with your own model, asked through sampling: first for findings (severity, line, quote, message), then for fixes. ' +
    'Lines are those where the quote really stands; a fix is offered only if it applies. A client without sampling gets a review ' +
    'packet at once and finishes the job with submit_review. The review is a durable job; if the call ends early, get its result with get_job.',
  input,
  output,
  annotations: MODEL_WORK_ANNOTATIONS,
  limits: MODEL_WORK_LIMITS,
  queue: 'review',
  modelText: ['code', 'language'],
  render,
};

function render(result: Output): string {
  return paragraphs([
    `# Review: ${result.summary}`,
    ...findingsText(result.findings),
    result.revised_code === undefined ? '' : `## Revised code\n\n${fenced(result.revised_code)}`,
    ...closingText(result),
    ...packetText(result.packet),
    ...coverageText(result),
  ]);
}
