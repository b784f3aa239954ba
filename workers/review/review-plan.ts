/** How deep a review goes: its phases, and the effort of each question. */
import type { Effort } from './progressive.js';

/** How deep a review goes. */
export const REVIEW_DEPTHS = ['quick', 'standard', 'deep'] as const;

/** See `REVIEW_DEPTHS`. */
export type ReviewDepth = (typeof REVIEW_DEPTHS)[number];

/** What a review does; phases that do not need each other are asked together. */
export interface ReviewPlan {
  readonly effort: Effort;
  readonly deepens: boolean;
  readonly fixes: boolean;
  readonly verifies: boolean;
  readonly scores: boolean;
}

/** The plan of each depth of `smart_review`. */
export const DEPTH_PLANS: Readonly<Record<ReviewDepth, ReviewPlan>> = {
  quick: { effort: 'low', deepens: false, fixes: false, verifies: false, scores: false },
  standard: { effort: 'medium', deepens: false, fixes: true, verifies: false, scores: true },
  deep: { effort: 'high', deepens: true, fixes: true, verifies: true, scores: true },
};

/** The plan of `review_code`: findings, then fixes. */
export const CODE_PLAN: ReviewPlan = { effort: 'medium', deepens: false, fixes: true, verifies: false, scores: false };

/** Phases one after another: fixes go beside what judges the findings. */
export function phasesOf({ deepens, fixes, verifies, scores }: ReviewPlan): number {
  const judging = verifies ? 1 + Number(scores) : Number(scores || fixes);
  return 1 + Number(deepens) + judging;
}
