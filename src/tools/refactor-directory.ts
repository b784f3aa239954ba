/** The contract of `refactor_directory`: whole-file rewrites of a folder by the client's model, as plans or written. */
import { z } from 'zod';
import { MODEL_WORK_STATUSES } from '../core/model-work.js';
import { paragraphs } from '../core/paragraphs.js';
import type { ToolAnnotations, ToolContract } from '../core/tool.js';
import { closingText, fenced, keyInput, MODEL_WORK_LIMITS, modelWorkFields, samplingField } from './model-work.js';

/** How files are rewritten. */
export const REFACTOR_STYLES = ['concise', 'verbose', 'safe'] as const;

/** What became of a file that was put to the model. */
export const FILE_STATUSES = [
  'planned',
  'written',
  'unchanged',
  'refused',
  'unanswered',
  'changed_meanwhile',
  'failed',
] as const;

const input = z.object({
  rel_path: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'The folder, relative to the first root of your client (or, if it offers no roots, to the first allowed folder); "." is that root itself.',
    ),
  idempotency_key: keyInput,
});

const file = z.object({
  path: z.string().describe('Relative to the folder.'),
  language: z.string(),
  status: z
    .enum(FILE_STATUSES)
    .describe(
      'planned: a dry run would rewrite it so; refused: the answer was not fit to be written; unanswered: there is no usable answer.',
    ),
  reason: z.string().optional().describe('Why it was not rewritten.'),
  summary: z.string().optional().describe('What changes, in the words of the model.'),
  lines_added: z.int().optional(),
  lines_removed: z.int().optional(),
  diff: z.string().optional().describe('A unified diff, its secrets replaced by placeholders.'),
  diff_cut: z.boolean().optional().describe('Whether the diff is only its beginning.'),
});

const output = z.object({
  ...modelWorkFields,
  ...samplingField,
  status: z
    .enum([...MODEL_WORK_STATUSES, 'declined', 'cancelled'])
    .describe('complete: every file that was put to the model is planned, written or right as it is.'),
  folder: z.string().describe('The real folder.'),
  bounded_by: z.enum(['client_roots', 'allowed_folders']).describe('What the folder had to lie in.'),
  mode: z.enum(['dry_run', 'write']).optional().describe('Absent if nobody chose, and nothing was done.'),
  style: z.enum(REFACTOR_STYLES).optional(),
  max_files: z.int().optional(),
  files: z.array(file).describe('Every file that was put to the model.'),
  skipped: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .describe('Files that were passed over, the first 200 by path.'),
  skipped_files: z.array(z.object({ reason: z.string(), files: z.int() })).describe('All of them, by reason.'),
  not_reached: z.int().describe('Further files that max_files left out, not yet looked into.'),
  backup: z
    .object({
      folder: z.string(),
      files: z.int(),
      restore: z.string().describe('A command that brings the old files back.'),
    })
    .optional()
    .describe('Where the files lie as they were, if any was to be written.'),
  prepared: z
    .array(z.object({ path: z.string(), content: z.string() }))
    .optional()
    .describe('If status is unavailable: the files that go with the prompt, their secrets replaced by placeholders.'),
});

type Output = z.output<typeof output>;

/** Writing is what it is for; what another call does to the same folder differs from this one. */
const ANNOTATIONS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Has the files of a folder rewritten by the model of the calling client, after asking the user how. */
export const refactorDirectory: ToolContract<typeof input, typeof output> = {
  name: 'refactor_directory',
  title: 'Refactor a folder',
  description:
    'Rewrites the source files of a folder with your own model. Asks the user first, by a form: style (concise, verbose, safe), dry run ' +
    '(the default: plans and diffs only) and how many files. Writes only if the user chose so, one whole file at a time, atomically, with ' +
    'a backup; answers that leave code out, shrink a file or break its syntax are refused. Works only inside the roots of a client that ' +
    'offers roots. Needs sampling; without it you get the prompt and the files. The work is a durable job; if the call ends early, get ' +
    'its result with get_job.',
  input,
  output,
  annotations: ANNOTATIONS,
  limits: MODEL_WORK_LIMITS,
  queue: 'review',
  pathArgument: 'rel_path',
  pathWithin: 'client_roots',
  render,
};

function render(result: Output): string {
  const skips = result.skipped_files.map(({ reason, files }) => `${files} ${reason}`);
  const parts = [
    `# Refactoring: ${result.summary}`,
    ...result.files.map(fileText),
    skips.length === 0 ? '' : `Passed over: ${skips.join(', ')}.`,
    result.not_reached === 0 ? '' : `Left out by max_files: ${result.not_reached}.`,
    result.backup === undefined
      ? ''
      : `The ${result.backup.files} old files lie in ${result.backup.folder}. To bring them back:\n\n${fenced(result.backup.restore, 'sh')}`,
    ...closingText(result),
    ...(result.prepared ?? []).map(({ path, content }) => `## ${path}\n\n${fenced(content)}`),
  ];
  return paragraphs(parts);
}

function fileText({ path, status, reason, summary, diff, diff_cut }: Output['files'][number]): string {
  const lines = [
    `## ${path}: ${status.replace('_', ' ')}`,
    reason ?? '',
    summary ?? '',
    diff === undefined ? '' : fenced(diff, 'diff'),
    diff_cut === true ? 'The diff goes on.' : '',
  ];
  return paragraphs(lines);
}
