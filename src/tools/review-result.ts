/** What the reviewing tools give back alike: findings with their fixes, files, scores, and the packet of a hand-off. */
import { z } from 'zod';
import { CATEGORIES, SEVERITIES } from '../core/finding.js';
import { fenced } from './model-work.js';

const score = z.int().min(1).max(10).nullable();

/** A finding whose quote stands in its file. */
const findingSchema = z.object({
  id: z.string(),
  file: z.string(),
  line: z.int().min(1).describe('Where its quote stands, from 1.'),
  end_line: z.int().min(1),
  quote: z.string(),
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  title: z.string(),
  message: z.string(),
  confidence: z.number().min(0).max(1).optional().describe('As the model gave it, from 0 to 1.'),
  fix: z
    .object({ find: z.string(), replace: z.string() })
    .optional()
    .describe('"find" stands in the file exactly once; replacing it keeps the indentation and parses no worse.'),
  no_fix: z.string().optional().describe('Why a fix that was proposed is not offered.'),
});

const leftOutSchema = z.object({
  title: z.string(),
  severity: z.enum(SEVERITIES),
  file: z.string().optional(),
  line: z.int().optional(),
  reason: z.string(),
});

const fileSchema = z.object({
  path: z.string(),
  status: z.enum(['reviewed', 'partial', 'skipped']),
  reason: z.string().optional().describe('What was not reviewed, and why.'),
});

const packetSchema = z
  .object({
    task: z.string(),
    rules: z.array(z.string()),
    rubric: z.array(z.string()).describe('What severities and scores mean.'),
    chunks: z.array(z.object({ number: z.int().min(1), files: z.array(z.string()), text: z.string() })),
    result_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of what to submit.'),
    submit: z.object({ tool: z.string(), job_id: z.string() }),
  })
  .describe('The review for you to do: read every chunk, then submit all findings at once.');

/** Fields of every review, beside those of all work of the model. */
export const reviewFields = {
  findings: z
    .array(findingSchema)
    .describe('Worst first. Empty with any status but complete does not mean that there are none.'),
  left_out: z
    .array(leftOutSchema)
    .describe('Findings that are not told as such: without a place in the code, or dropped.'),
  files: z.array(fileSchema).describe('Every file, whether it was reviewed or not.'),
  packet: packetSchema.optional(),
};

/** Scores of a review that asked for them. */
export const scoresSchema = z
  .object({
    security: score,
    correctness: score,
    performance: score,
    readability: score,
    overall: score,
  })
  .describe('Whole numbers from 1, bad, to 10, capped by the worst finding; null where there is no ground for one.');

const fields = z.object(reviewFields);
type ReviewFields = z.output<typeof fields>;
type ToldFinding = ReviewFields['findings'][number];
type Packet = z.output<typeof packetSchema>;

/** Files that are named one by one in text. */
const NAMED_FILES = 50;

/** The findings as text. */
export function findingsText(findings: readonly ToldFinding[]): string[] {
  return findings.map(findingText);
}

function findingText(finding: ToldFinding): string {
  const { id, title, severity, category, file, line, end_line: last, quote, message, fix, no_fix: none } = finding;
  const lines = last > line ? `lines ${line}–${last}` : `line ${line}`;
  const mended = fix ? ['Fix:', diffOf(fix)] : [];
  const why = none === undefined ? [] : [`A fix was proposed and is not offered: ${none}.`];
  return [
    `## ${id}: ${title}`,
    `${severity} ${category}, ${file}, ${lines}`,
    fenced(quote),
    message,
    ...mended,
    ...why,
  ].join('\n\n');
}

function diffOf({ find, replace }: { readonly find: string; readonly replace: string }): string {
  const marked = (mark: string, text: string) => text.replace(/\n$/, '').replace(/^/gm, mark);
  return fenced(`${marked('- ', find)}\n${marked('+ ', replace)}`, 'diff');
}

/** What was left out, and the files that were not reviewed whole, as text. */
export function coverageText({ left_out, files }: Pick<ReviewFields, 'left_out' | 'files'>): string[] {
  const omitted = left_out.map(({ title, reason }) => `- ${title}: ${reason}`);
  const lacking = files.filter(({ status }) => status !== 'reviewed');
  const rows = lacking
    .slice(0, NAMED_FILES)
    .map(({ path, status, reason }) => `- ${path}: ${status}${reason ? ` (${reason})` : ''}`);
  const more = lacking.length - NAMED_FILES;
  return [
    omitted.length === 0 ? '' : `Left out:\n${omitted.join('\n')}`,
    rows.length === 0 ? '' : `Not reviewed whole:\n${rows.join('\n')}${more > 0 ? `\n- and ${more} more` : ''}`,
  ];
}

/** The packet as text. */
export function packetText(packet: Packet | undefined): string[] {
  if (!packet) return [];
  const { task, rules, rubric, chunks, submit } = packet;
  const numberedRules = rules.map((rule, index) => `${index + 1}. ${rule}`).join('\n');
  return [
    `## Review it yourself\n\n${task} Then call ${submit.tool} with job_id ${submit.job_id} and all findings.`,
    numberedRules,
    rubric.map((line) => `- ${line}`).join('\n'),
    ...chunks.map(({ number, text }) => `### Chunk ${number} of ${chunks.length}\n\n${fenced(text)}`),
  ];
}
