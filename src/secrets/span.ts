/** Where in a text a secret stands. */

/** A stretch of text, `end` exclusive, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** Spans in order of place, none overlapping: of those that do, the one that begins first is widened over the others. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}
