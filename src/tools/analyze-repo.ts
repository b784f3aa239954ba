/** The contract of `analyze_repo`: metrics measured here, judged by the client's own model. */
import { z } from 'zod';
import { MODEL_WORK_STATUSES } from '../core/model-work.js';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolContract } from '../core/tool.js';
import { sectionText } from './metric-text.js';
import { type MetricName, metricFields, metricInputs, metricNames } from './metrics.js';
import {
  closingText,
  fenced,
  MODEL_WORK_ANNOTATIONS,
  modelWorkFields,
  SAMPLING_STATES,
  samplingField,
} from './model-work.js';

/** The metrics that are judged, in the order in which they are measured. */
export const JUDGED_METRICS = ['complexity', 'duplication', 'dependencies', 'coverage'] as const satisfies MetricName[];

/** See `JUDGED_METRICS`. */
export type JudgedMetric = (typeof JUDGED_METRICS)[number];

const input = z.object({
  repoPath: z
    .string()
    .min(1)
    .max(4_096)
    .describe('Folder to analyze: absolute, or relative to the first allowed folder.'),
  metrics: metricNames(JUDGED_METRICS, 1)
    .default([...JUDGED_METRICS])
    .describe('What to measure and have judged: complexity, duplication, dependencies, coverage. Default all.'),
  min_lines: metricInputs.min_lines,
  min_tokens: metricInputs.min_tokens,
  use_cache: z
    .boolean()
    .default(true)
    .describe('Whether complexity may be that of an earlier analysis for files that did not change. Default true.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The same key returns the same job instead of starting another.'),
});

const score = z.object({
  metric: z.enum(JUDGED_METRICS),
  score: z
    .int()
    .min(1)
    .max(10)
    .nullable()
    .describe('10 is best. Null unless status is complete: then nothing is said of the code.'),
  advice: z.array(z.string()),
  summary: z.string().describe('The model on the metric; empty without a score.'),
  status: z
    .enum([...MODEL_WORK_STATUSES, 'not_measured'])
    .describe('How the question ended; not_measured: there were no figures to ask about.'),
  sampling: z.enum(SAMPLING_STATES).optional(),
  note: z.string().optional().describe('Why there is no score.'),
  model: z.string().optional(),
  raw_answer: z.string().optional().describe('The beginning of an answer that could not be used.'),
  prompt: z
    .string()
    .optional()
    .describe('If status is unavailable: the whole question, figures and all, to ask a model yourself.'),
});

/** What became of the question about one metric. */
export type MetricScore = z.output<typeof score>;

const { prompt: _prompt, raw_answer: _rawAnswer, ...workFields } = modelWorkFields;
const { complexity, duplication, dependencies, coverage } = metricFields;

const output = z.object({
  ...workFields,
  ...samplingField,
  root: z.string().describe('The analyzed folder, links resolved.'),
  files_listed: z.int().min(0),
  scores: z.array(score).describe('One for each metric asked for.'),
  complexity,
  duplication,
  dependencies,
  coverage,
});

type Output = z.output<typeof output>;

/** Measures metrics of a repository and has the model of the calling client score each. */
export const analyzeRepo: ToolContract<typeof input, typeof output> = {
  name: 'analyze_repo',
  title: 'Analyze a repository',
  description:
    'Measures complexity, duplication, dependencies and coverage of a folder with real engines, then asks your own model, through ' +
    'sampling, one question for each: a score from 1 to 10 with advice. The model sees figures and names only, never code. Without ' +
    'sampling the measurements come at once, with the prepared questions. A metric whose answer cannot be used keeps its measurement, ' +
    'with a null score and why. A durable job; if the call ends early, get its result with get_job.',
  input,
  output,
  annotations: MODEL_WORK_ANNOTATIONS,
  limits: { timeoutMs: 6 * 3_600_000, attempts: 3, backoffMs: 1_000 },
  queue: 'analysis',
  pathArgument: 'repoPath',
  render,
};

function render(result: Output): string {
  return paragraphs([`# ${result.root}: ${result.summary}`, ...result.scores.map((one) => metricText(result, one))]);
}

function metricText(
  result: Output,
  { metric, score: points, status, summary, advice, note, prompt, raw_answer }: MetricScore,
) {
  return paragraphs([
    sectionText(metric, result[metric]) ?? '',
    points === null
      ? `Score: none (${status})${note === undefined ? '' : `. ${note}`}`
      : `Score: ${points} of 10. ${summary}`,
    advice.map((text) => `- ${text}`).join('\n'),
    ...closingText({ notes: [], raw_answer }),
    prompt === undefined ? '' : `To ask a model yourself:\n\n${fenced(prompt)}`,
  ]);
}
