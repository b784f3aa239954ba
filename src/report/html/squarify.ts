/** Lays out a treemap. */

/** Left, top, width and height. */
export type Box = readonly [number, number, number, number];

/**
 * Boxes that fill the given one in proportion to `weights` (positive, largest first) and are as near to squares as rows
 * of them can be: M. Bruls, K. Huizing, J. J. van Wijk, "Squarified Treemaps", 2000. Its own text is put into the page,
 * so it must use nothing outside itself.
 */
export function squarify(weights: readonly number[], box: Box): Box[] {
  const boxes: Box[] = [];
  let [left, top, width, height] = box;
  let rest = weights.reduce((sum, weight) => sum + weight, 0);
  let start = 0;
  while (start < weights.length && rest > 0) {
    const side = Math.min(width, height);
    const scale = (width * height) / rest;
    // The worst ratio of sides in a row of the given area, whose largest and smallest boxes have these areas.
    const worst = (area: number, most: number, least: number) =>
      Math.max((side * side * most) / (area * area), (area * area) / (side * side * least));
    const most = (weights[start] ?? 0) * scale;
    let area = most;
    let end = start + 1;
    while (end < weights.length) {
      const next = (weights[end] ?? 0) * scale;
      const last = (weights[end - 1] ?? 0) * scale;
      if (worst(area + next, most, next) > worst(area, most, last)) break;
      area += next;
      end += 1;
    }
    const depth = side > 0 ? area / side : 0;
    let along = width >= height ? top : left;
    for (let at = start; at < end; at += 1) {
      const length = depth > 0 ? ((weights[at] ?? 0) * scale) / depth : 0;
      boxes.push(width >= height ? [left, along, depth, length] : [along, top, length, depth]);
      along += length;
      rest -= weights[at] ?? 0;
    }
    if (width >= height) {
      left += depth;
      width = Math.max(0, width - depth);
    } else {
      top += depth;
      height = Math.max(0, height - depth);
    }
    start = end;
  }
  return boxes;
}
