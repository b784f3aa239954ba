/** The answers of a review as values: findings judged one by one, and revised code. */
import { z } from 'zod';
import { CATEGORIES, type Category, SEVERITIES, type Severity } from '../../src/core/finding.js';
import type { Parse } from './legacy-reply.js';

/** A fault found in code, as the tools of issue B tell it. */
export interface Finding {
  readonly severity: Severity;
  readonly category: Category;
  readonly line?: number;
  readonly title: string;
  readonly explanation: string;
  readonly suggestion: string;
}

/** Findings that can be used, worst first, and what was wrong with the others. */
export interface ReadFindings {
  readonly findings: readonly Finding[];
  readonly faults: readonly string[];
}

/** Findings of one answer that are looked at. */
const MOST = 200;

const short = (limit: number) =>
  z
    .string()
    .trim()
    .min(1)
    .transform((text) => text.slice(0, limit));

// Loose: fields that nobody asked for are passed over.
const item = z.looseObject({
  severity: z.string().toLowerCase().pipe(z.enum(SEVERITIES)),
  category: z.string().toLowerCase().pipe(z.enum(CATEGORIES)),
  line: z.int().min(1).optional().catch(undefined),
  title: short(200),
  message: short(4_000),
  suggestion: short(4_000).optional().catch(undefined),
});

const answer = z.looseObject({ findings: z.array(z.unknown()) });
const revision = z.looseObject({ revised_code: z.string().min(1), explanation: z.string().default('') });

/** Reads findings about code of so many lines; a line that the code does not have is left out. */
export function parseFindings(lineCount: number): Parse<ReadFindings> {
  return (json) => {
    const list = answer.safeParse(json).data?.findings;
    if (!list) return { ok: false, fault: 'it holds no list of findings' };
    const results = list.slice(0, MOST).map((candidate) => item.safeParse(candidate));
    const findings = results.flatMap(({ data }) => (data ? [findingOf(data, lineCount)] : []));
    const faults = results.flatMap(({ error }, index) => (error ? [`finding ${index + 1}: ${faultOf(error)}`] : []));
    if (list.length > MOST) faults.push(`only the first ${MOST} of ${list.length} findings were looked at`);
    // Nothing usable among what was given is no empty list.
    if (findings.length === 0 && faults.length > 0) return { ok: false, fault: faults.slice(0, 3).join('; ') };
    findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
    return { ok: true, value: { findings, faults } };
  };
}

/** Reads revised code; the code as it was is no revision. */
export function parseRevision(original: string): Parse<{ readonly code: string; readonly explanation: string }> {
  return (json) => {
    const parsed = revision.safeParse(json);
    if (!parsed.success) return { ok: false, fault: 'it holds no revised_code' };
    const { revised_code: code, explanation } = parsed.data;
    if (code.trim() === original.trim()) return { ok: false, fault: 'the code came back unchanged' };
    return { ok: true, value: { code, explanation: explanation.slice(0, 8_000) } };
  };
}

function findingOf(data: z.output<typeof item>, lineCount: number): Finding {
  const { severity, category, line, title, message, suggestion = '' } = data;
  const place = line !== undefined && line <= lineCount ? { line } : {};
  return { severity, category, ...place, title, explanation: message, suggestion };
}

function faultOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.map(String).join('.') || 'item'}: ${issue.message}`).join(', ');
}
