/** Text of several parts. */

/** Joins the parts with blank lines between; empty ones are left out. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
