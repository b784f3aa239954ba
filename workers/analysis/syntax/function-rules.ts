/** The vocabulary in which a grammar's table says what its functions are made of, and the form a walk reads it in. */
import type { Language } from 'web-tree-sitter';

/**
 * What each node of a grammar means, as space-separated names of node types. `parent>child` names a node or token only
 * where it stands directly in that parent.
 */
export interface FunctionRules {
  /** Functions that are listed on their own. */
  readonly functions: string;
  /** Functions that belong to the one they stand in; outside any they are listed. */
  readonly lambdas?: string;
  /** What a function without a name of its own is called after, when it stands directly in it. */
  readonly namers?: string;
  /** Classes: a bare call within a method of theirs calls no method, unless `bareCalls` says so. */
  readonly classes?: string;
  readonly bareCalls?: boolean;
  /** Decide, cost and nest; may be followed by an else. */
  readonly ifs: string;
  /** Decide, cost and nest: loops, handlers of exceptions, conditional expressions. */
  readonly branches: string;
  /** Cost and nest without a decision of their own: switches and endless loops. */
  readonly switches: string;
  /** Decide and cost, but neither nest further nor cost by depth. */
  readonly elifs?: string;
  /** Cost alone; an `if` directly behind is free unless `elseIf` is false. */
  readonly elses: string;
  readonly elseIf?: boolean;
  /** Jumps to a label, which cost. */
  readonly jumps?: string;
  /** Decide only: the cases of a switch. */
  readonly decisions: string;
  /** Take a decision back: what has one case more than decisions. */
  readonly discounts?: string;
  /** Expressions that logical operators stand in, and those operators. */
  readonly binaries: string;
  readonly operators: string;
  readonly parentheses?: string;
  readonly calls: string;
  /** A function without costs of its own is a mere namespace: what stands in it costs nothing there. */
  readonly namespaces?: boolean;
  /** What stands in a function never costs anything there: the language nests none, so it is a macro that was read as a head. */
  readonly apart?: boolean;
  /** The statements of a function that only wraps another, such as a decorator: what stands in it costs nothing there. */
  readonly wrappers?: string;
}

/** One bit a meaning. */
export const FUNCTION = 1;
/** See `FunctionRules`, as for those that follow. */
export const LAMBDA = 1 << 1;
export const NAMER = 1 << 2;
export const CLASS = 1 << 3;
export const IF = 1 << 4;
/** Costs by depth and nests. */
export const STRUCTURE = 1 << 5;
export const ELSE = 1 << 6;
/** Costs one. */
export const FLAT = 1 << 7;
export const DECISION = 1 << 8;
export const DISCOUNT = 1 << 9;
export const BINARY = 1 << 10;
export const OPERATOR = 1 << 11;
export const PARENTHESES = 1 << 12;
export const CALL = 1 << 13;
/** Its meaning depends on its parent. */
const PAIRED = 1 << 14;

const MEANINGS: readonly (readonly [keyof FunctionRules, number])[] = [
  ['functions', FUNCTION],
  ['lambdas', LAMBDA],
  ['namers', NAMER],
  ['classes', CLASS],
  ['ifs', IF | STRUCTURE | DECISION],
  ['branches', STRUCTURE | DECISION],
  ['switches', STRUCTURE],
  ['elifs', FLAT | DECISION],
  ['elses', ELSE | FLAT],
  ['jumps', FLAT],
  ['decisions', DECISION],
  ['discounts', DISCOUNT],
  ['binaries', BINARY],
  ['operators', OPERATOR],
  ['parentheses', PARENTHESES],
  ['calls', CALL],
];

/** The rules of one grammar by the numbers of its node types. */
export interface CompiledRules {
  readonly rules: FunctionRules;
  /** The meaning of a node of type `id` that stands in one of type `parent`. */
  meaning(id: number, parent: number): number;
  /** By number of a type: 1 where it never has a meaning. */
  readonly meaningless: Uint8Array;
}

/** Compiles a table for the grammar it was written for; throws for names that the grammar does not have. */
export function compileRules(rules: FunctionRules, language: Language): CompiledRules {
  const alone = new Uint32Array(1 << 16);
  const paired = new Map<number, number>();
  const idsOf = indexTypes(language);

  function add(name: string, bits: number): void {
    const [first = '', second] = name.split('>');
    if (second === undefined) for (const id of idsOf(first, true)) alone[id] = (alone[id] ?? 0) | bits;
    else for (const parent of idsOf(first, true)) addPairs(parent, idsOf(second, false), bits);
  }
  function addPairs(parent: number, ids: readonly number[], bits: number): void {
    for (const id of ids) {
      const key = parent * alone.length + id;
      alone[id] = (alone[id] ?? 0) | PAIRED;
      paired.set(key, (paired.get(key) ?? 0) | bits);
    }
  }
  function meaning(id: number, parent: number): number {
    const bits = alone[id] ?? 0;
    return (bits & PAIRED) === 0 ? bits : (bits & ~PAIRED) | (paired.get(parent * alone.length + id) ?? 0);
  }

  for (const [field, bits] of MEANINGS) {
    const names = rules[field];
    if (typeof names === 'string') for (const name of names.split(' ')) add(name, bits);
  }
  return { rules, meaning, meaningless: Uint8Array.from(alone, (bits) => (bits === 0 ? 1 : 0)) };
}

/** Finds the numbers of a type; a grammar may have several for one name. Tokens count where `named` is false. */
function indexTypes(language: Language): (name: string, named: boolean) => number[] {
  const ids = Array.from({ length: language.nodeTypeCount }, (_, id) => id);
  return (name, named) => {
    const found = ids.filter((id) => language.nodeTypeForId(id) === name && (!named || language.nodeTypeIsNamed(id)));
    if (found.length === 0) throw new Error(`The grammar of ${language.name ?? 'a language'} has no node '${name}'.`);
    return found;
  };
}
