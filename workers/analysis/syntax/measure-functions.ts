/** Measures the functions of a syntax tree: cyclomatic and cognitive complexity, in one walk. */
import type { Tree } from 'web-tree-sitter';
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
import type { NodePlace, PlaceWalk } from './node-place.js';
import { closeFunction, type FunctionMeasure, type OpenFunction, openFunction } from './open-function.js';

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

/** What a tree was parsed from, by which rules to measure it, and how to walk it. */
export interface Measuring {
  readonly text: string;
  readonly compiled: CompiledRules;
  readonly walkPlaces: PlaceWalk;
}

/** Measures a tree. Takes time linear in its nodes. */
export function measureFunctions(tree: Tree, { text, compiled, walkPlaces }: Measuring): TreeMeasure {
  const file = openFunction({ depth: -1, name: '', line: 1, parameters: 0, isMethod: false, level: -1 });
  const walk: Walk = {
    ...{ text, compiled, depth: -1, types: [], meanings: [], levels: [], elseSeen: [], starts: [] },
    ...{ sequences: createLogicalSequences(), open: [file], functions: [] },
  };
  walkPlaces(tree, {
    enter: (place) => enter(walk, place),
    leave: (place) => leave(walk, place),
    dullLeaves: compiled.meaningless,
  });
  return { functions: walk.functions, cognitive: file.cost + file.innerApart };
}

function current({ open }: Walk): OpenFunction {
  return open.at(-1) ?? open[0];
}

function enter(walk: Walk, place: NodePlace): void {
  walk.depth += 1;
  const { depth, types, meanings, levels, elseSeen, compiled } = walk;
  const type = place.nodeTypeId;
  const found = compiled.meaning(type, types[depth - 1] ?? -1);
  const around = meanings[depth - 1] ?? 0;
  const level = levels[depth - 1] ?? 0;
  types[depth] = type;
  meanings[depth] = found;
  elseSeen[depth] = false;
  levels[depth] = (around & STRUCTURE) !== 0 && HEADS.has(place.fieldName ?? '') ? level - 1 : level;
  if (found !== 0) take(walk, place, found);
}

function take(walk: Walk, place: NodePlace, found: number): void {
  const { depth, levels, elseSeen, sequences, compiled } = walk;
  if (found & NAMER) walk.starts[depth] = place.startIndex;
  if (found & FUNCTION || (found & LAMBDA && walk.open.length === 1)) begin(walk, place);
  else if (found & LAMBDA) levels[depth] = (levels[depth] ?? 0) + 1;
  const here = current(walk);
  if (found & DECISION) here.cyclomatic += 1;
  if (found & DISCOUNT) here.cyclomatic -= 1;
  if (found & FLAT) here.cost += 1;
  if (found & ELSE) elseSeen[depth] = elseSeen[depth - 1] = compiled.rules.elseIf !== false;
  if (found & STRUCTURE) nest(walk, here, found);
  if (found & (BINARY | PARENTHESES)) sequences.open(depth, (found & PARENTHESES) !== 0);
  if (found & OPERATOR) sequences.operator(depth - 1, walk.types[depth] ?? 0);
  if (found & CALL && !here.recurses && here !== walk.open[0]) noteCall(walk, place, here);
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

function begin(walk: Walk, place: NodePlace): void {
  const { depth, text, starts, meanings, levels, open } = walk;
  const node = place.node();
  const named = ((meanings[depth - 1] ?? 0) & NAMER) !== 0;
  const behind = named ? leadingName(text.slice(starts[depth - 1], place.startIndex)) : undefined;
  open.push(
    openFunction({
      depth,
      name: ownName(node) ?? behind ?? ANONYMOUS,
      line: place.startRow + 1,
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
function noteCall({ text }: Walk, place: NodePlace, here: OpenFunction): void {
  const start = place.startIndex;
  const head = text.slice(start, start + here.name.length + LONGEST_SELF);
  const bare = head.replace(SELF, '');
  if (here.isMethod && bare === head) return;
  if (!bare.startsWith(here.name) || WORD.test(bare[here.name.length] ?? '')) return;
  here.recurses = true;
  here.cost += 1;
}

function leave(walk: Walk, place: NodePlace): void {
  const { depth, meanings, sequences } = walk;
  const found = meanings[depth] ?? 0;
  if (found & (BINARY | PARENTHESES)) current(walk).cost += sequences.close(depth);
  if (found & (FUNCTION | LAMBDA) && current(walk).depth === depth) finish(walk, place);
  walk.depth -= 1;
}

function finish(walk: Walk, place: NodePlace): void {
  const done = walk.open.pop();
  if (done === undefined) return;
  const { rules } = walk.compiled;
  const isWrapper = rules.apart === true || (done.innerCost > 0 && done.cost === 0 && onlyWraps(rules, place));
  const cognitive = closeFunction(done, current(walk), isWrapper);
  const { name, line, parameters, cyclomatic, nesting } = done;
  const endLine = place.endRow + 1;
  walk.functions.push({ name, line, endLine, parameters, cyclomatic, cognitive, nesting });
}

function onlyWraps({ namespaces, wrappers }: FunctionRules, place: NodePlace): boolean {
  if (wrappers === undefined) return namespaces === true;
  const statements = place.node().childForFieldName('body')?.namedChildren ?? [];
  const allowed = wrappers.split(' ');
  return statements.every((statement) => statement !== null && allowed.includes(statement.type));
}
