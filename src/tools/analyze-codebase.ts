/** The contract of `analyze_codebase`: what it takes, what it gives, and how the result reads as text. */

import { z } from 'zod';
import { bytesText, count, counted } from '../core/figures.js';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolContract } from '../core/tool.js';
import { sectionSchema } from './job-view.js';
import { metricsText } from './metric-text.js';
import { METRICS, metricFields, metricInputs, metricNames } from './metrics.js';
import { table } from './text.js';

/** Largest number of globs in one call. */
const MAX_GLOBS = 100;

/** Files that are no plain ones, each class counted or left out as a whole. */
const FILE_CLASSES = ['hidden', 'vendored', 'generated'] as const;

const globs = (meaning: string) => z.array(z.string().min(1).max(500)).max(MAX_GLOBS).optional().describe(meaning);

const input = z.object({
  path: z.string().min(1).max(4_096).describe('Folder to scan: absolute, or relative to the first allowed folder.'),
  respect_gitignore: z.boolean().default(true).describe('Leave out what git ignores. Default true.'),
  include: globs('Globs relative to the folder; when given, only matching files count. Example: ["src/**/*.ts"]'),
  exclude: globs('Globs relative to the folder; matching files do not count. Example: ["**/*.test.ts"]'),
  classes: z
    .preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.enum(FILE_CLASSES)).max(10))
    .default(['hidden'])
    .describe(
      'Classes of files to count besides plain ones: hidden (a name on the way begins with a dot), vendored, generated; ' +
        'those left out are told by class in skipped_files. Default hidden alone.',
    ),
  max_file_bytes: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .default(10_485_760)
    .describe('Larger files are skipped, with a reason. Default 10 MiB.'),
  use_cache: z
    .boolean()
    .default(true)
    .describe('Whether files that did not change since an earlier scan need not be read again. Default true.'),
  metrics: metricNames(METRICS)
    .default([])
    .describe(
      'What to measure besides lines: complexity, duplication, dependencies, coverage, hotspots. Default none.',
    ),
  ...metricInputs,
  response_format: z
    .enum(['markdown', 'json'])
    .default('markdown')
    .describe('Form of the text; the structured result is the same. Default markdown.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The same key returns the same job instead of starting another.'),
});

const whole = z.int().min(0);

const counts = {
  files: whole,
  lines: whole,
  code: whole,
  comments: whole,
  blanks: whole,
  bytes: whole,
};

const output = z.object({
  root: z.string().describe('The scanned folder, links resolved.'),
  job_id: z.string(),
  files_scanned: whole,
  from_cache: whole.describe(
    'Files, counted or skipped, that were not read since they are as they were when counted before.',
  ),
  skipped: whole.describe('Files found but not counted; see skipped_files.'),
  total_lines: whole,
  totals: z.object(counts),
  by_language: z.array(z.object({ language: z.string(), ...counts })).describe('Most code first.'),
  by_extension: z
    .array(z.object({ extension: z.string(), files: whole, lines: whole, bytes: whole }))
    .describe('The ten extensions with most files.'),
  largest_files: z.array(z.object({ path: z.string(), language: z.string(), lines: whole, bytes: whole })),
  skipped_files: z
    .array(z.object({ reason: z.string(), files: whole, examples: z.array(z.string()) }))
    .describe('Files not counted, by reason, with a few examples each.'),
  hidden_files: whole.optional().describe('How many of the files are hidden; absent when none is.'),
  submodules: z.array(z.string()).describe('Git submodules found; they are not scanned.'),
  ...metricFields,
  sections: z
    .array(sectionSchema)
    .describe('Tables of this job: get_job with job_id and section reads one in pages. files: every counted file.'),
  duration_ms: whole,
});

type Output = z.output<typeof output>;

/** Counts files, lines, code, comments and blanks of a folder by language; made for very large repositories. */
export const analyzeCodebase: ToolContract<typeof input, typeof output> = {
  name: 'analyze_codebase',
  title: 'Analyze a codebase',
  description:
    'Counts files and lines (code, comments, blanks) of a folder by language; measures complexity, duplication, dependencies, ' +
    'coverage and hotspots if metrics names them. Works on repositories of any size: the scan is a durable job that survives ' +
    'disconnects, restarts and crashes; if the call ends early, get its result with get_job. ' +
    'Honours .gitignore; skips binary files and, unless classes names them, vendored and generated ones, each with a reason. Only folders the server allows can be scanned.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 6 * 3_600_000, attempts: 3, backoffMs: 1_000 },
  queue: 'analysis',
  pathArgument: 'path',
  render,
};

const SHOWN_LANGUAGES = 25;

function render(result: Output): string {
  const rows = result.by_language
    .slice(0, SHOWN_LANGUAGES)
    .map((row) => [
      row.language,
      count(row.files),
      count(row.lines),
      count(row.code),
      count(row.comments),
      count(row.blanks),
    ]);
  const { totals } = result;
  rows.push([
    'Total',
    count(totals.files),
    count(totals.lines),
    count(totals.code),
    count(totals.comments),
    count(totals.blanks),
  ]);
  const more = result.by_language.length - SHOWN_LANGUAGES;
  const parts = [
    `# ${result.root}`,
    `${counted(result.files_scanned, 'file')}, ${counted(result.total_lines, 'line')}, ${bytesText(totals.bytes)} in ${(result.duration_ms / 1_000).toFixed(1)} s (job ${result.job_id}).`,
    table(['Language', 'Files', 'Lines', 'Code', 'Comments', 'Blanks'], rows),
    more > 0 ? `${more} more languages are in the structured result.` : '',
    largestText(result),
    skippedText(result),
    result.submodules.length > 0 ? `Submodules, not scanned: ${result.submodules.join(', ')}` : '',
    ...metricsText(result),
    sectionsText(result),
  ];
  return paragraphs(parts);
}

function largestText({ largest_files }: Output): string {
  if (largest_files.length === 0) return '';
  const lines = largest_files
    .slice(0, 5)
    .map((file) => `- ${file.path} (${file.language}, ${counted(file.lines, 'line')}, ${bytesText(file.bytes)})`);
  return ['Largest files:', ...lines].join('\n');
}

function sectionsText({ job_id, sections }: Output): string {
  const [first] = sections;
  if (!first) return '';
  const sizes = sections.map(({ section, rows }) => `${section} (${counted(rows, 'row')})`).join(', ');
  return `Full tables in pages: ${sizes}. Call get_job {"job_id": "${job_id}", "section": "${first.section}"}.`;
}

function skippedText(result: Output): string {
  if (result.skipped === 0) return '';
  const lines = result.skipped_files.map(
    (row) => `- ${row.reason}: ${count(row.files)}, such as ${row.examples.slice(0, 3).join(', ')}`,
  );
  return [`${counted(result.skipped, 'file')} skipped:`, ...lines].join('\n');
}
