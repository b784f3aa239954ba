/** What a report says of a file that could not be read or made sense of. */

/** One problem; the rest of the file, and all other files, count. */
export interface Problem {
  readonly path: string;
  /** From one; undefined where the fault has no place. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
}
