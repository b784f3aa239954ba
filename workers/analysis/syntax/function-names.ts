/** Reads the name and the parameters of a function off its node. */
import type { Node } from 'web-tree-sitter';

/** The name of what has none. */
export const ANONYMOUS = '(anonymous)';
/** C puts the name at the end of a chain of declarators: a pointer to an array of functions is three. */
const LONGEST_CHAIN = 16;
const LONGEST_NAME = 200;
const NAME_BEHIND = /^[\s(]*(?:(?:const|let|var|static|private|public|protected|readonly|async)\s+)*([\w$#.'"[\]-]+)/;
const NOT_PARAMETERS = new Set(['comment', 'line_comment', 'block_comment', 'attribute_item']);

/** The name that the function itself bears; undefined for an anonymous one. */
export function ownName(node: Node): string | undefined {
  const name = node.childForFieldName('name') ?? declaratorOf(node)?.childForFieldName('declarator');
  return name ? shorten(name.text) : undefined;
}

/** The name that a text such as `a.b = function` begins with. */
export function leadingName(text: string): string | undefined {
  const name = NAME_BEHIND.exec(text)?.[1];
  return name && shorten(name);
}

/** How many parameters a function declares. */
export function countParameters(node: Node): number {
  const holder = declaratorOf(node) ?? node;
  if (holder.childForFieldName('parameter')) return 1;
  const list = holder.childForFieldName('parameters');
  if (list === null) return node.namedChildren.filter((child) => child?.type === 'parameter').length;
  if (list.type === 'implicit_parameter') return 1;
  const declared = list.namedChildren.filter((child) => child !== null && !NOT_PARAMETERS.has(child.type));
  const only = declared.length === 1 ? declared[0] : undefined;
  if (only?.text === 'void') return 0;
  // Go declares several names of one type at once.
  return declared.reduce((sum, child) => sum + namesIn(child), 0);
}

function namesIn(parameter: Node | null): number {
  if (parameter?.type !== 'parameter_declaration') return 1;
  return Math.max(1, parameter.childrenForFieldName('name').length);
}

/** The innermost declarator with parameters: those further out belong to what the function returns. */
function declaratorOf(node: Node): Node | undefined {
  let at = node.childForFieldName('declarator');
  let found: Node | undefined;
  for (let i = 0; at && i < LONGEST_CHAIN; i += 1) {
    if (at.childForFieldName('parameters')) found = at;
    at = at.childForFieldName('declarator') ?? at.namedChild(0);
  }
  return found;
}

function shorten(name: string): string {
  const plain = name.replace(/\s+/g, ' ');
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME - 1)}…` : plain;
}
