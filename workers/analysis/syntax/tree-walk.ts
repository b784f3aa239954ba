/** Chooses how trees are walked: in the parser's memory once that has been seen to read as the parser's cursor does. */
import type { Language, Tree } from 'web-tree-sitter';
import { walkByCursor } from './cursor-walk.js';
import { createMemoryWalk } from './memory-walk.js';
import type { NodePlace, PlaceVisitor, PlaceWalk } from './node-place.js';
import type { ParserMemory } from './parser-memory.js';

/** Nodes of a language that have to read alike; until then both ways are gone. */
const ENOUGH_NODES = 2_000;
/** Trees for a comparison are no larger, since it takes a copy. */
const MOST_NODES = 20_000;

/** Builds the walk for the trees of one parser. */
export function createTreeWalk(memory: ParserMemory): PlaceWalk {
  const inMemory = createMemoryWalk(memory);
  const equal = new Map<Language, number>();

  function compare(tree: Tree): void {
    const seen = equal.get(tree.language) ?? 0;
    const { descendantCount } = tree.rootNode;
    if (descendantCount > MOST_NODES) return;
    equal.set(tree.language, seen + (readAlike(inMemory, tree) ? descendantCount : Number.NEGATIVE_INFINITY));
  }

  return (tree, visitor) => {
    if ((equal.get(tree.language) ?? 0) >= ENOUGH_NODES) return inMemory(tree, visitor);
    walkByCursor(tree, visitor);
    if (equal.get(tree.language) !== Number.NEGATIVE_INFINITY) compare(tree);
  };
}

/** Whether two walks tell the same of a tree. */
export function readAlike(walk: PlaceWalk, tree: Tree): boolean {
  try {
    return transcript(walk, tree) === transcript(walkByCursor, tree);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function transcript(walk: PlaceWalk, tree: Tree): string {
  const lines: string[] = [];
  const note = (place: NodePlace) => {
    const { nodeTypeId, fieldName = '', startIndex, startRow, endRow } = place;
    lines.push(`${nodeTypeId} ${fieldName} ${startIndex} ${startRow} ${endRow}`);
  };
  const visitor: PlaceVisitor = { enter: note, leave: (place) => lines.push(`end of ${place.nodeTypeId}`) };
  walk(tree, visitor);
  return lines.join('\n');
}
