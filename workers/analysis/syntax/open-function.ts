/** A function that is being read, and what it comes to once it has been left. */

/** One function as it is listed. */
export interface FunctionMeasure {
  /** `(anonymous)` where it has none. */
  readonly name: string;
  /** The first and the last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
  readonly parameters: number;
  /** McCabe's: decisions + 1. */
  readonly cyclomatic: number;
  /** SonarSource's, with the functions that stand in it. */
  readonly cognitive: number;
  /** How deep its deepest structure stands: 1 for an `if` that holds none. */
  readonly nesting: number;
}

/** A function, or the top level of a file, between its first node and its last. */
export interface OpenFunction {
  readonly depth: number;
  readonly name: string;
  readonly line: number;
  readonly parameters: number;
  /** A bare call of its own name is none of itself. */
  readonly isMethod: boolean;
  /** The depth of structures at which it stands in the function around it. */
  readonly level: number;
  cyclomatic: number;
  cost: number;
  /** How many of its costs grow with depth. */
  structures: number;
  nesting: number;
  recurses: boolean;
  /** The same of the functions within, as if their bodies stood here; `innerApart` as if they stood alone. */
  innerCost: number;
  innerStructures: number;
  innerApart: number;
}

/** Opens a function. */
export function openFunction(
  place: Pick<OpenFunction, 'depth' | 'name' | 'line' | 'parameters' | 'isMethod' | 'level'>,
): OpenFunction {
  const counts = { cyclomatic: 1, cost: 0, structures: 0, nesting: 0 };
  return { ...place, ...counts, recurses: false, innerCost: 0, innerStructures: 0, innerApart: 0 };
}

/**
 * Closes a function, adds it to the one around it and returns its cognitive complexity. A mere namespace or wrapper does not answer for what stands in it
 * (G. Ann Campbell, Cognitive Complexity, appendix A), so that this counts for the file alone.
 */
export function closeFunction(done: OpenFunction, outer: OpenFunction, isWrapper: boolean): number {
  const whole = done.cost + done.innerCost;
  const structures = done.structures + done.innerStructures;
  outer.innerCost += whole + (done.level + 1) * structures;
  outer.innerStructures += structures;
  outer.innerApart += isWrapper ? done.cost + done.innerApart : whole;
  return isWrapper ? done.cost : whole;
}
