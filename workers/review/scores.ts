/** Holds a model's scores to its findings: it may lower a score or drop a finding, never raise either. */
import { CATEGORIES, type Category, type Finding, type Severity } from '../../src/core/finding.js';
import type { Judgement, Score } from './review-forms.js';

/** The scores of a review: each a whole number from 1, bad, to 10, or null where there is no ground for one. */
export interface Scores extends Readonly<Record<Category, Score>> {
  readonly overall: Score;
}

/** A dropped finding, and why. */
export interface DroppedFinding {
  readonly finding: Finding;
  readonly reason: string;
}

/** What a judgement came to. */
export interface Judged {
  readonly scores: Scores;
  readonly findings: readonly Finding[];
  readonly dropped: readonly DroppedFinding[];
  /** What of the judgement was not followed. */
  readonly notes: readonly string[];
}

/** The highest score that a category, or the whole, can have beside a finding of this severity. */
const CAPS: Readonly<Record<Severity, { readonly category: number; readonly overall: number }>> = {
  critical: { category: 2, overall: 3 },
  high: { category: 4, overall: 5 },
  medium: { category: 7, overall: 8 },
  low: { category: 9, overall: 9 },
};

/** No scores at all. */
export const NO_SCORES: Scores = {
  security: null,
  correctness: null,
  performance: null,
  readability: null,
  overall: null,
};

/** Drops what the model drops by a known id and with a reason, and caps its scores by the worst finding that is left. */
export function judge(findings: readonly Finding[], { scores, drop }: Judgement): Judged {
  const { findings: kept, dropped, notes } = dropFindings(findings, drop);
  const raised: string[] = [];
  const capped = (category: Category): Score => {
    const given = scores[category];
    const cap = capOf(
      kept.filter((finding) => finding.category === category).map(({ severity }) => CAPS[severity].category),
    );
    if (given !== null && given > cap)
      raised.push(`The score of ${category} was lowered from ${given} to ${cap} by a finding.`);
    return given === null ? null : Math.min(given, cap);
  };
  const values = Object.fromEntries(CATEGORIES.map((category) => [category, capped(category)]));
  const given = Object.values(values).filter((score) => score !== null);
  const mean = given.length === 0 ? null : Math.floor(given.reduce((sum, score) => sum + score, 0) / given.length);
  const overall = mean === null ? null : Math.min(mean, capOf(kept.map(({ severity }) => CAPS[severity].overall)));
  return { scores: { ...NO_SCORES, ...values, overall }, findings: kept, dropped, notes: [...notes, ...raised] };
}

/** Takes out what is dropped; an unknown id drops nothing. */
export function dropFindings(
  findings: readonly Finding[],
  drop: Judgement['drop'],
): Pick<Judged, 'findings' | 'dropped' | 'notes'> {
  const reasons = new Map(drop.map(({ findingId, reason }) => [findingId, reason]));
  const known = new Set(findings.map(({ id }) => id));
  const unknown = [...reasons.keys()].filter((id) => !known.has(id));
  return {
    findings: findings.filter(({ id }) => !reasons.has(id)),
    dropped: findings.flatMap((finding) => {
      const reason = reasons.get(finding.id);
      return reason === undefined ? [] : [{ finding, reason }];
    }),
    notes: unknown.length === 0 ? [] : [`The model dropped ${unknown.length} findings that there are not.`],
  };
}

function capOf(caps: readonly number[]): number {
  return Math.min(10, ...caps);
}
