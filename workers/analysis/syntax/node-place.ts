/** What a walk tells of the node it stands on, however it reads the tree. */
import type { Node, Tree } from 'web-tree-sitter';

/** The node a walk stands on; the same object for all of them, valid until the walk goes on. */
export interface NodePlace {
  readonly nodeTypeId: number;
  /** What its parent calls it; undefined where it has no name there. */
  readonly fieldName: string | undefined;
  readonly startIndex: number;
  readonly startRow: number;
  readonly endRow: number;
  /** The node itself, for what cannot be told from here; much dearer than all the rest. */
  node(): Node;
}

/** What a walk does at each node. */
export interface PlaceVisitor {
  enter(place: NodePlace): void;
  /** Called once the node's last child has been left. */
  leave(place: NodePlace): void;
  /** By type, other than 0 where nodes without children need not be visited. */
  readonly dullLeaves?: Uint8Array;
}

/** Visits every node of a tree, parents before and after their children. */
export type PlaceWalk = (tree: Tree, visitor: PlaceVisitor) => void;
