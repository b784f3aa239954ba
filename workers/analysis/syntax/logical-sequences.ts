/** Counts sequences of like logical operators, as they are read: `a && b && c || d` has two, `a && (b || c) && d` three. */

/** The operators of an expression in the order they are written, as far as the count of their runs needs it. */
interface Run {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** An expression that is being read. */
interface Expression {
  /** Its own operators and those of its operands as one row. */
  row: Run | undefined;
  /** The sequences of its operands, each for itself. */
  apart: number;
  isLogical: boolean;
  readonly isTransparent: boolean;
}

/** The expressions that are open around the cursor, by depth in the tree. */
export interface LogicalSequences {
  /** Opens a binary expression, or parentheses, which are transparent. */
  open(depth: number, isTransparent: boolean): void;
  /** A logical operator of the expression at `depth`. */
  operator(depth: number, id: number): void;
  /** Closes it; returns the sequences that end with it, which are none when the expression around it, at `depth - 1`, goes on with them. */
  close(depth: number): number;
}

/** Creates a count; `isLogical` expressions within others, or within their parentheses, are read as one row. */
export function createLogicalSequences(): LogicalSequences {
  const opened = new Map<number, Expression>();

  function open(depth: number, isTransparent: boolean): void {
    opened.set(depth, { row: undefined, apart: 0, isLogical: false, isTransparent });
  }

  function operator(depth: number, id: number): void {
    const expression = opened.get(depth);
    if (expression === undefined) return;
    expression.isLogical = true;
    expression.row = join(expression.row, { first: id, last: id, count: 1 });
  }

  function close(depth: number): number {
    const expression = opened.get(depth);
    opened.delete(depth);
    if (expression?.row === undefined) return 0;
    const outer = opened.get(depth - 1);
    const goesOn = expression.isLogical || expression.isTransparent;
    if (outer === undefined || !goesOn) return settled(expression);
    outer.row = join(outer.row, expression.row);
    outer.apart += settled(expression);
    return 0;
  }

  return { open, operator, close };
}

function settled({ row, apart, isLogical }: Expression): number {
  return isLogical ? (row?.count ?? 0) : apart;
}

function join(left: Run | undefined, right: Run): Run {
  if (left === undefined) return right;
  const count = left.count + right.count - (left.last === right.first ? 1 : 0);
  return { first: left.first, last: right.last, count };
}
