/** The contract of `review_code`: a review by the client's own model, in two rounds. */

import { z } from 'zod';
import { CATEGORIES, SEVERITIES } from '../core/finding.js';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolContract } from '../core/tool.js';
import {
  closingText,
  codeInput,
  fenced,
  MODEL_WORK_ANNOTATIONS,
  MODEL_WORK_LIMITS,
  modelWorkFields,
  nameInput,
} from './model-work.js';

/** What a review looks for; `all` adds plain mistakes. */
const REVIEW_FOCUSES = ['security', 'performance', 'readability', 'all'] as const;

const input = z.object({
  code: codeInput.describe('The code to review, at most 2 MiB.'),
  language: nameInput.describe('Its programming language, such as "TypeScript".'),
  focus: z.enum(REVIEW_FOCUSES).default('all').describe('What to look for. Default all.'),
});

const issue = z.object({
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  line: z.int().min(1).optional().describe('Line of the given code, from 1.'),
  title: z.string(),
  explanation: z.string(),
  suggestion: z.string(),
});

const output = z.object({
  ...modelWorkFields,
  language: z.string(),
  focus: z.enum(REVIEW_FOCUSES),
  issues: z.array(issue).describe('Worst first. Empty with any status but complete does not mean that there are none.'),
  revised_code: z.string().optional().describe('The whole code with the issues mended.'),
  revision_explanation: z.string().optional(),
});

type Output = z.output<typeof output>;

/** Reviews code with the model of the calling client: finds issues, then mends them. */
export const reviewCode: ToolContract<typeof input, typeof output> = {
  name: 'review_code',
  title: 'Review code',
  description:
    'Reviews code with your own model, asked through sampling: first for issues (severity, line, explanation, suggestion), then for ' +
    'revised code. Needs a client that offers sampling; without it the call says so at once and gives the prompt to use yourself. ' +
    'The review is a durable job; if the call ends early, get its result with get_job.',
  input,
  output,
  annotations: MODEL_WORK_ANNOTATIONS,
  limits: MODEL_WORK_LIMITS,
  queue: 'review',
  modelText: ['code'],
  render,
};

function render(result: Output): string {
  const parts = [
    `# Review: ${result.summary}`,
    ...result.issues.map(issueText),
    result.revised_code === undefined ? '' : `## Revised code\n\n${fenced(result.revised_code)}`,
    result.revision_explanation ?? '',
    ...closingText(result),
  ];
  return paragraphs(parts);
}

function issueText({ severity, category, line, title, explanation, suggestion }: Output['issues'][number]): string {
  const place = line === undefined ? '' : `, line ${line}`;
  const lines = [`## ${title}`, `${severity} ${category}${place}`, explanation];
  return [...lines, ...(suggestion === '' ? [] : [`Suggestion: ${suggestion}`])].join('\n\n');
}
