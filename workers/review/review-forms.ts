/** The forms of a review's answers: findings, fixes and scores, read leniently where the meaning is plain. */
import { z } from 'zod';
import { CATEGORIES, type Category, type ReportedFinding, SEVERITIES } from '../../src/core/finding.js';
import { type Fault, type Form, type FormReading, listForm, readItems } from './ladder/form.js';

/** A fix as it was proposed. */
export interface ProposedFix {
  readonly findingId: string;
  readonly find: string;
  readonly replace: string;
}

/** A score of 1 to 10, or null where none was given that can be used. */
export type Score = number | null;

/** The model's judgement, before it is held to the findings. */
export interface Judgement {
  readonly scores: Readonly<Record<Category, Score>>;
  readonly summary: string;
  readonly drop: readonly { readonly findingId: string; readonly reason: string }[];
}

const short = (limit: number) =>
  z
    .string()
    .trim()
    .min(1)
    .transform((text) => text.slice(0, limit));

/** Numbers come as text now and then; what is no line is left out, since the quote places the finding. */
const place = z.coerce.number().int().min(1).optional().catch(undefined);
const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.string().trim().toLowerCase().pipe(z.enum(words));

const SURE: Readonly<Record<string, number>> = { high: 0.9, medium: 0.6, low: 0.3 };
const confidence = z
  .union([z.number(), z.string().transform((text) => SURE[text.trim().toLowerCase()] ?? Number(text))])
  .transform((value) => (value > 1 ? value / 100 : value))
  .pipe(z.number().min(0).max(1))
  .optional()
  .catch(undefined);

const finding = z
  .looseObject({
    file: short(4_096).optional().catch(undefined),
    line: place,
    end_line: place,
    quote: z
      .string()
      .refine((text) => text.trim() !== '', 'is blank')
      .transform((text) => text.slice(0, 4_000)),
    severity: word(SEVERITIES),
    category: word(CATEGORIES),
    title: short(200),
    message: short(4_000),
    confidence,
  })
  .transform(({ file, line, end_line: endLine, quote, severity, category, title, message, confidence: sure }) => {
    return {
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      ...(endLine !== undefined && { endLine }),
      quote,
      severity,
      category,
      title,
      message,
      ...(sure !== undefined && { confidence: sure }),
    } satisfies ReportedFinding;
  });

const fix = z
  .looseObject({ finding_id: short(20), find: z.string().min(1).max(40_000), replace: z.string().max(40_000) })
  .transform(({ finding_id: findingId, find, replace }) => ({ findingId, find, replace }));

const dropped = z
  .looseObject({ finding_id: short(20), reason: short(1_000) })
  .transform(({ finding_id: findingId, reason }) => ({ findingId, reason }));

const judgement = z.looseObject({
  scores: z.record(z.string(), z.unknown()).optional(),
  summary: z.string().optional().catch(undefined),
  drop: z.array(z.unknown()).optional(),
});

/** `{"findings": [...]}` */
export const FINDINGS_FORM: Form<readonly ReportedFinding[]> = listForm('findings', finding);

/** `{"fixes": [...]}` */
export const FIXES_FORM: Form<readonly ProposedFix[]> = listForm('fixes', fix);

/** `{"scores": {...}, "summary", "drop": [...]}`; a score that is no whole number from 1 to 10 is null and a fault. */
export const SCORES_FORM: Form<Judgement> = { read: readJudgement, merge: (_before, after) => after };

function readJudgement(json: unknown): FormReading<Judgement> {
  const parsed = judgement.safeParse(json);
  if (!parsed.success) return { ok: false, fault: { path: 'scores', message: 'it holds no scores' } };
  const { scores, summary, drop } = parsed.data;
  if (!scores && !drop) return { ok: false, fault: { path: 'scores', message: 'it holds no scores' } };
  const read = readItems('drop', drop ?? [], dropped);
  const faults: Fault[] = [...read.faults];
  const scoreOf = (category: Category): Score => {
    const value = scores?.[category] ?? null;
    if (value === null || isScore(value)) return value;
    faults.push({ path: `scores.${category}`, message: 'is neither a whole number from 1 to 10 nor null' });
    return null;
  };
  const [security, correctness, performance, readability] = CATEGORIES.map(scoreOf);
  const value = {
    scores: {
      security: security ?? null,
      correctness: correctness ?? null,
      performance: performance ?? null,
      readability: readability ?? null,
    },
    summary: (summary ?? '').trim().slice(0, 4_000),
    drop: read.items,
  };
  return { ok: true, value, faults, empty: false };
}

function isScore(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10;
}
