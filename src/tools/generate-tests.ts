/** The contract of `generate_tests`: a test file written by the client's own model. */

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

const input = z.object({
  code: codeInput.describe('The code to test, at most 2 MiB.'),
  framework: nameInput
    .optional()
    .describe('Test framework, such as "vitest". By default the usual one of the language.'),
  language: nameInput
    .optional()
    .describe('Programming language of the code. By default the model tells it from the code.'),
  idempotency_key: keyInput,
});

const output = z.object({
  ...modelWorkFields,
  ...samplingField,
  test_code: z.string().optional().describe('The whole test file. Absent unless the model gave one that can be used.'),
  framework: z.string().optional().describe('The framework the tests are written for.'),
  language: z.string().optional(),
});

type Output = z.output<typeof output>;

/** Writes tests for code with the model of the calling client. */
export const generateTests: ToolContract<typeof input, typeof output> = {
  name: 'generate_tests',
  title: 'Generate tests',
  description:
    'Writes a test file for code with your own model, asked through sampling. Needs a client that offers sampling; without it the ' +
    'call says so at once and gives the prompt to use yourself. The tests are not run: read them before you rely on them.',
  input,
  output,
  annotations: MODEL_WORK_ANNOTATIONS,
  limits: MODEL_WORK_LIMITS,
  queue: 'review',
  modelText: ['code', 'framework', 'language'],
  render,
};

function render(result: Output): string {
  const parts = [
    `# Tests: ${result.summary}`,
    result.test_code === undefined ? '' : fenced(result.test_code),
    ...closingText(result),
  ];
  return paragraphs(parts);
}
