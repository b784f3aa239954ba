/** What people read of a report, part by part, before any format is chosen. */

/** A foreign name, such as a path, which each format marks and escapes in its own way. */
export interface Name {
  readonly name: string;
}

/** What a cell holds: our words, a foreign name, a number, or nothing. */
export type SectionCell = string | number | Name | undefined;

/** A titled part of a report; one without rows is its sentences. */
export interface Section {
  /** Fit for an anchor. */
  readonly id: string;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly heads: readonly string[];
  readonly rows: readonly (readonly SectionCell[])[];
  /** The sums of all rows, shown or not. */
  readonly total?: readonly SectionCell[];
}
