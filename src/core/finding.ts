/** The words that findings about code are told in. */

/** How bad a finding is, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** See `SEVERITIES`. */
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. */
export const CATEGORIES = ['security', 'correctness', 'performance', 'readability'] as const;

/** See `CATEGORIES`. */
export type Category = (typeof CATEGORIES)[number];

/** A fault found in code; `line` counts from 1 and is absent where none was given, or one that the code does not have. */
export interface Finding {
  readonly severity: Severity;
  readonly category: Category;
  readonly line?: number;
  readonly title: string;
  readonly explanation: string;
  /** Empty if none was made. */
  readonly suggestion: string;
}
