/** Aligned columns and foreign text for a terminal. */

/** A column: its head and whether it holds numbers, which are aligned to the right. */
export interface Column {
  readonly head: string;
  readonly right?: boolean;
}

/** How the head and the last row of a table stand out; the identity where escape codes are unwelcome. */
export interface Emphasis {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

/** Emphasis by escape codes (ECMA-48 SGR 1 and 2), or none. */
export function emphasis(colour: boolean): Emphasis {
  const plain = (text: string) => text;
  const wrap = (on: number) => (text: string) => `\u001b[${on}m${text}\u001b[22m`;
  return colour ? { strong: wrap(1), faint: wrap(2) } : { strong: plain, faint: plain };
}

/** Renders rows under heads, two blanks apart, without blanks at the ends of lines. */
export function alignedTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { strong }: Emphasis,
): string {
  const widths = columns.map(({ head }, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    columns
      .map(({ right }, at) =>
        right ? (cells[at] ?? '').padStart(widths[at] ?? 0) : (cells[at] ?? '').padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [strong(line(columns.map(({ head }) => head))), ...rows.map(line)].join('\n');
}

/** Foreign text on one line, without characters that would steer a terminal. */
export function plainText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');
}

/** Foreign text that may have lines and tabs, else as `plainText`. */
export function plainLines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, at) => (at % 2 === 1 ? part : plainText(part)))
    .join('');
}
