/** The words that findings about code are told in. */
import { z } from 'zod';

/** How bad a finding is, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** See `SEVERITIES`. */
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. */
export const CATEGORIES = ['security', 'correctness', 'performance', 'readability'] as const;

/** See `CATEGORIES`. */
export type Category = (typeof CATEGORIES)[number];

/** A finding as a model is asked to report it; what it really reports is judged more leniently. */
export const reportedFindingSchema = z.object({
  file: z.string().optional().describe('Path of the file as given; may be left out if there is only one.'),
  line: z.int().min(1).describe('First line, by the numbers given.'),
  end_line: z.int().min(1).optional().describe('Last line, if there are several.'),
  quote: z.string().min(1).describe('The code at fault, copied exactly, without line numbers: it places the finding.'),
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  title: z.string().min(1).describe('A few words.'),
  message: z.string().min(1).describe('What is wrong, why it matters and what to do.'),
  confidence: z.number().min(0).max(1).optional().describe('How sure you are, from 0 to 1.'),
});

/** The answer that holds findings; an empty list says that there are none. */
export const findingsAnswerSchema = z.object({ findings: z.array(reportedFindingSchema) });

/** A finding as it was reported and read, before its place was looked for. */
export interface ReportedFinding {
  readonly file?: string;
  /** As claimed; the quote decides. */
  readonly line?: number;
  readonly endLine?: number;
  readonly quote: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly title: string;
  readonly message: string;
  /** From 0 to 1; absent if none was given. */
  readonly confidence?: number;
}

/** A finding whose quote stands in its file: where it says. */
export interface Finding extends Omit<ReportedFinding, 'file' | 'line' | 'endLine'> {
  /** `F1`, `F2`, … in the order of the report; names the finding in further questions. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly endLine: number;
}

/** Orders findings worst first, then by place. */
export function worstFirst(
  a: Pick<Finding, 'severity' | 'file' | 'line'>,
  b: Pick<Finding, 'severity' | 'file' | 'line'>,
): number {
  const bySeverity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
  if (bySeverity !== 0) return bySeverity;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line;
}
