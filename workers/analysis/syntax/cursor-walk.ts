/** Walks a tree by the parser's own cursor: always right, at some calls into WebAssembly for each node. */
import type { Tree } from 'web-tree-sitter';
import type { NodePlace, PlaceVisitor } from './node-place.js';
import { walkTree } from './walk-tree.js';

/** See `PlaceWalk`. */
export function walkByCursor(tree: Tree, visitor: PlaceVisitor): void {
  let place: NodePlace | undefined;
  walkTree(tree, {
    enter(cursor) {
      place ??= {
        get nodeTypeId() {
          return cursor.nodeTypeId;
        },
        get fieldName() {
          return cursor.currentFieldName ?? undefined;
        },
        get startIndex() {
          return cursor.startIndex;
        },
        get startRow() {
          return cursor.startPosition.row;
        },
        get endRow() {
          return cursor.endPosition.row;
        },
        node: () => cursor.currentNode,
      };
      visitor.enter(place);
    },
    leave() {
      if (place) visitor.leave(place);
    },
  });
}
