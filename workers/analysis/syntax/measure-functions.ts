/** Measures the functions of a syntax tree: cyclomatic and cognitive complexity, in one walk. */
import type { Tree, TreeCursor } from 'web-tree-sitter';
import { ANONYMOUS, countParameters, leadingName, ownName } from './function-names.js';
import {
  BINARY,
  CALL,
  CLASS,
  type CompiledRules,
  DECISION,
  DISCOUNT,
  ELSE,
  FLAT,
  FUNCTION,
  type FunctionRules,
  IF,
  LAMBDA,
  NAMER,
  OPERATOR,
  PARENTHESES,
  STRUCTURE,
} from './function-rules.js';
import { createLogicalSequences, type LogicalSequences } from './logical-sequences.js';
import { closeFunction, type FunctionMeasure, type OpenFunction, openFunction } from './open-function.js';
import { walkTree } from './walk-tree.js';

export type { FunctionMeasure } from './open-function.js';

/** What the tree of one file comes to. */
export interface TreeMeasure {
  /** In the order in which they end. */
  readonly functions: readonly FunctionMeasure[];
  /** The cognitive complexity of all code, that outside functions included and none counted twice. */
  readonly cognitive: number;
}

/** Parts of a structure that are read before its body and stand as deep as itself. */
const HEADS = new Set(
  'condition value subject initializer init update left right collection expr item parameter parameters pattern'.split(
    ' ',
  ),
);
/** What may stand before the name in a call of oneself. */
const SELF = /^(?:this(?:\.|->)|\$this->|self\.|self::|Self::|static::|cls\.)/;
const LONGEST_SELF = 9;
const WORD = /[\w$]/;

/** What a walk knows of the nodes around its cursor, by depth. */
interface Walk {
  readonly text: string;
  readonly compiled: CompiledRules;
  depth: number;
  readonly types: number[];
  readonly meanings: number[];
  /** The depth of structures at which a node's children stand. */
  readonly levels: number[];
  readonly elseSeen: boolean[];
  /** Where a namer begins. */
  readonly starts: number[];
  readonly sequences: LogicalSequences;
  /** The top level of the file, then the functions around the cursor. */
  readonly open: [OpenFunction, ...OpenFunction[]];
  readonly functions: FunctionMeasure[];
}

/** Measures a tree by its grammar's rules; `text` is what it was parsed from. Takes time linear in its nodes. */
export function measureFunctions(tree: Tree, text: string, compiled: CompiledRules): TreeMeasure {
  const file = openFunction({ depth: -1, name: '', line: 1, parameters: 0, isMethod: false, level: -1 });
  const walk: Walk = {
    ...{ text, compiled, depth: -1, types: [], meanings: [], levels: [], elseSeen: [], starts: [] },
    ...{ sequences: createLogicalSequences(), open: [file], functions: [] },
  };
  walkTree(tree, { enter: (cursor) => enter(walk, cursor), leave: (cursor) => leave(walk, cursor) });
  return { functions: walk.functions, cognitive: file.cost + file.innerApart };
}

function current({ open }: Walk): OpenFunction {
  return open.at(-1) ?? open[0];
}

function enter(walk: Walk, cursor: TreeCursor): void {
  walk.depth += 1;
  const { depth, types, meanings, levels, elseSeen, compiled } = walk;
  const type = cursor.nodeTypeId;
  const found = compiled.meaning(type, types[depth - 1] ?? -1);
  const around = meanings[depth - 1] ?? 0;
  const level = levels[depth - 1] ?? 0;
  types[depth] = type;
  meanings[depth] = found;
  elseSeen[depth] = false;
  levels[depth] = (around & STRUCTURE) !== 0 && HEADS.has(cursor.currentFieldName ?? '') ? level - 1 : level;
  if (found !== 0) take(walk, cursor, found);
}

function take(walk: Walk, cursor: TreeCursor, found: number): void {
  const { depth, levels, elseSeen, sequences, compiled } = walk;
  if (found & NAMER) walk.starts[depth] = cursor.startIndex;
  if (found & FUNCTION || (found & LAMBDA && walk.open.length === 1)) begin(walk, cursor);
  else if (found & LAMBDA) levels[depth] = (levels[depth] ?? 0) + 1;
  const here = current(walk);
  if (found & DECISION) here.cyclomatic += 1;
  if (found & DISCOUNT) here.cyclomatic -= 1;
  if (found & FLAT) here.cost += 1;
  if (found & ELSE) elseSeen[depth] = elseSeen[depth - 1] = compiled.rules.elseIf !== false;
  if (found & STRUCTURE) nest(walk, here, found);
  if (found & (BINARY | PARENTHESES)) sequences.open(depth, (found & PARENTHESES) !== 0);
  if (found & OPERATOR) sequences.operator(depth - 1, walk.types[depth] ?? 0);
  if (found & CALL && !here.recurses && here !== walk.open[0]) noteCall(walk, cursor, here);
}

function nest({ depth, levels, meanings, elseSeen }: Walk, here: OpenFunction, found: number): void {
  const level = levels[depth] ?? 0;
  const around = meanings[depth - 1] ?? 0;
  // The `else` before it has been paid for, and its body stands as deep as that of the first `if`.
  if (found & IF && around & (IF | ELSE) && elseSeen[depth - 1]) return;
  here.cost += 1 + level;
  here.structures += 1;
  here.nesting = Math.max(here.nesting, level + 1);
  levels[depth] = level + 1;
}

function begin(walk: Walk, cursor: TreeCursor): void {
  const { depth, text, starts, meanings, levels, open } = walk;
  const node = cursor.currentNode;
  const named = ((meanings[depth - 1] ?? 0) & NAMER) !== 0;
  const behind = named ? leadingName(text.slice(starts[depth - 1], cursor.startIndex)) : undefined;
  open.push(
    openFunction({
      depth,
      name: ownName(node) ?? behind ?? ANONYMOUS,
      line: cursor.startPosition.row + 1,
      parameters: countParameters(node),
      isMethod: walk.compiled.rules.bareCalls !== true && standsInClass(walk),
      level: open.length === 1 ? -1 : (levels[depth] ?? 0),
    }),
  );
  levels[depth] = 0;
}

function standsInClass(walk: Walk): boolean {
  const { depth: around } = current(walk);
  for (let at = walk.depth - 1; at > around; at -= 1) if ((walk.meanings[at] ?? 0) & CLASS) return true;
  return false;
}

/** A function that calls itself costs one more, however often it does. */
function noteCall({ text }: Walk, cursor: TreeCursor, here: OpenFunction): void {
  const start = cursor.startIndex;
  const head = text.slice(start, start + here.name.length + LONGEST_SELF);
  const bare = head.replace(SELF, '');
  if (here.isMethod && bare === head) return;
  if (!bare.startsWith(here.name) || WORD.test(bare[here.name.length] ?? '')) return;
  here.recurses = true;
  here.cost += 1;
}

function leave(walk: Walk, cursor: TreeCursor): void {
  const { depth, meanings, sequences } = walk;
  const found = meanings[depth] ?? 0;
  if (found & (BINARY | PARENTHESES)) current(walk).cost += sequences.close(depth);
  if (found & (FUNCTION | LAMBDA) && current(walk).depth === depth) finish(walk, cursor);
  walk.depth -= 1;
}

function finish(walk: Walk, cursor: TreeCursor): void {
  const done = walk.open.pop();
  if (done === undefined) return;
  const isWrapper = done.innerCost > 0 && done.cost === 0 && onlyWraps(walk.compiled.rules, cursor);
  const cognitive = closeFunction(done, current(walk), isWrapper);
  const { name, line, parameters, cyclomatic, nesting } = done;
  const endLine = cursor.endPosition.row + 1;
  walk.functions.push({ name, line, endLine, parameters, cyclomatic, cognitive, nesting });
}

function onlyWraps({ namespaces, wrappers }: FunctionRules, cursor: TreeCursor): boolean {
  if (wrappers === undefined) return namespaces === true;
  const statements = cursor.currentNode.childForFieldName('body')?.namedChildren ?? [];
  const allowed = wrappers.split(' ');
  return statements.every((statement) => statement !== null && allowed.includes(statement.type));
}
