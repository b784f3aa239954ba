/** Walks a syntax tree without recursion, so that its depth costs memory but never the stack. */
import type { Tree, TreeCursor } from 'web-tree-sitter';

/** What a walk does at each node; the cursor stands on it. */
export interface Visitor {
  enter(cursor: TreeCursor): void;
  /** Called once the node's last child has been left; absent where nobody needs it. */
  leave?(cursor: TreeCursor): void;
}

/** Visits every node, parents before and after their children. */
export function walkTree(tree: Tree, visitor: Visitor): void {
  const cursor = tree.walk();
  try {
    visitor.enter(cursor);
    while (advance(cursor, visitor)) visitor.enter(cursor);
  } finally {
    cursor.delete();
  }
}

/** Moves to the next node in order; false when all have been left. */
function advance(cursor: TreeCursor, visitor: Visitor): boolean {
  if (cursor.gotoFirstChild()) return true;
  for (;;) {
    visitor.leave?.(cursor);
    if (cursor.gotoNextSibling()) return true;
    if (!cursor.gotoParent()) return false;
  }
}
