/** Budgets that grow from round to round: cheap first, and more only for an answer that was cut off. */

/** How much a question may cost. */
export const EFFORTS = ['low', 'medium', 'high'] as const;

/** See `EFFORTS`. */
export type Effort = (typeof EFFORTS)[number];

/** Output tokens of each round; no round asks for more than the policy's default of 4,096. */
const TOKENS: Readonly<Record<Effort, readonly number[]>> = {
  low: [2_048],
  medium: [2_048, 4_096],
  high: [2_048, 3_072, 4_096],
};

/** The output tokens of an effort's rounds: one, two or three of them, each with more than the one before. */
export function progressiveTokens(effort: Effort): readonly number[] {
  return TOKENS[effort];
}
