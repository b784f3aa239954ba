/** Counts the places at which a text does not follow its grammar. */
import type { Tree } from 'web-tree-sitter';
import { walkTree } from './walk-tree.js';

/** The number that the parser's runtime gives to every ERROR node, whatever the grammar. */
const ERROR_TYPE = 0xffff;

/** The ERROR nodes, each a stretch that fits nowhere, and the MISSING ones, each a token that had to be supposed. */
export function countErrors(tree: Tree): number {
  if (!tree.rootNode.hasError) return 0;
  let errors = 0;
  walkTree(tree, {
    enter(cursor) {
      if (cursor.nodeTypeId === ERROR_TYPE || cursor.nodeIsMissing) errors += 1;
    },
  });
  return errors;
}
