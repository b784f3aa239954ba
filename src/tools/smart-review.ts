/** The contract of `smart_review`: a review of code, files, a folder or a diff by the client's own model, as deep as asked for. */
import { z } from 'zod';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolContract } from '../core/tool.js';
import {
  closingText,
  codeInput,
  keyInput,
  MODEL_WORK_ANNOTATIONS,
  MODEL_WORK_LIMITS,
  modelWorkFields,
  nameInput,
  samplingField,
} from './model-work.js';
import { coverageText, findingsText, packetText, reviewFields, scoresSchema } from './review-result.js';

/** How deep a review goes. */
const DEPTHS = ['quick', 'standard', 'deep'] as const;
/** What a review can be of: exactly one of them. */
const SOURCES = ['code', 'path', 'paths', 'diff'] as const;

const MOST_PATHS = 200;
const path = z.string().min(1).max(4_096);

const input = z
  .object({
    code: codeInput.optional().describe('Code to review, at most 2 MiB; needs language.'),
    language: nameInput.optional().describe('Programming language of the code, such as "TypeScript".'),
    path: path.optional().describe('File or folder to review: absolute, or relative to the first allowed folder.'),
    paths: z.array(path).min(1).max(MOST_PATHS).optional().describe('Several files or folders.'),
    diff: codeInput
      .refine((text) => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text), 'holds no hunk of a unified diff')
      .optional()
      .describe('A unified diff, such as git diff gives: only its added lines are reviewed.'),
    depth: z
      .enum(DEPTHS)
      .default('standard')
      .describe(
        'quick finds; standard finds, fixes and scores; deep looks twice and verifies as well. Default standard.',
      ),
    idempotency_key: keyInput,
  })
  .refine((given) => SOURCES.filter((name) => given[name] !== undefined).length === 1, {
    message: `give exactly one of ${SOURCES.join(', ')}`,
  })
  .refine((given) => given.code === undefined || given.language !== undefined, {
    message: 'is needed with code, such as "TypeScript"',
    path: ['language'],
  });

const output = z.object({
  ...modelWorkFields,
  ...samplingField,
  depth: z.enum(DEPTHS),
  ...reviewFields,
  files_not_named: z
    .array(z.object({ reason: z.string(), files: z.int().min(1) }))
    .describe('Skipped files beyond those in files, by reason.'),
  scores: scoresSchema.optional().describe('Absent unless the depth asks for scores.'),
  verdict: z.string().optional().describe('The model on the whole, in a few sentences.'),
});

type Output = z.output<typeof output>;

/** Reviews with the model of the calling client; every finding is held to the code it quotes. */
export const smartReview: ToolContract<typeof input, typeof output> = {
  name: 'smart_review',
  title: 'Smart review',
  description:
    'Reviews code, a file, a folder, several paths or a diff with your own model, asked through sampling. Give exactly one of code ' +
    '(with language), path, paths, diff. Findings stand on the lines where their quotes are, fixes are offered only if they apply, ' +
    'scores are capped by the findings, secrets are taken out first, and every file is reported as reviewed, partial or skipped with a ' +
    'reason. A client without sampling gets a review packet at once and finishes the job with submit_review. Durable; if the call ends ' +
    'early, get the result with get_job.',
  input,
  output,
  annotations: MODEL_WORK_ANNOTATIONS,
  // Reading and redacting a large folder takes longer than asking about it.
  limits: { ...MODEL_WORK_LIMITS, timeoutMs: 600_000 },
  queue: 'review',
  modelText: ['code', 'language', 'diff'],
  fileArguments: ['path', 'paths'],
  render,
};

function render(result: Output): string {
  return paragraphs([
    `# Review (${result.depth}): ${result.summary}`,
    scoresText(result.scores),
    result.verdict ?? '',
    ...findingsText(result.findings),
    ...closingText(result),
    ...packetText(result.packet),
    ...coverageText(result),
    result.files_not_named.map(({ reason, files }) => `- and ${files} more skipped: ${reason}`).join('\n'),
  ]);
}

function scoresText(scores: Output['scores']): string {
  if (!scores) return '';
  const rows = Object.entries(scores).map(([name, score]) => `${name} ${score ?? '–'}`);
  return `Scores of 10: ${rows.join(', ')}.`;
}
