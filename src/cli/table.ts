/** Aligned columns and foreign text for a terminal. */

/** A column: its head and whether it holds numbers, which are aligned to the right and never cut. */
export interface Column {
  readonly head: string;
  readonly right?: boolean;
  /** Never cut, though it is text, as of ids. */
  readonly whole?: boolean;
  /** Cut at its end, as words are; a path is at its beginning. */
  readonly endCut?: boolean;
}

/** No column is cut to less. */
const LEAST_WIDTH = 12;

/** How the head and the last row of a table stand out; the identity where escape codes are unwelcome. */
export interface Emphasis {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  /** How many characters a line of the terminal takes; absent where nobody looks at lines. */
  readonly width?: number;
}

/** Emphasis by escape codes (ECMA-48 SGR 1 and 2), or none. */
export function emphasis(colour: boolean, width?: number): Emphasis {
  const plain = (text: string) => text;
  const wrap = (on: number) => (text: string) => `\u001b[${on}m${text}\u001b[22m`;
  const styles = colour ? { strong: wrap(1), faint: wrap(2) } : { strong: plain, faint: plain };
  return { ...styles, ...(width !== undefined && { width }) };
}

/**
 * Renders rows under heads, two blanks apart, without blanks at the ends of lines. Where lines would be wider than the
 * terminal, text loses its beginning: the end of a path tells most.
 */
export function alignedTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { strong, width = Number.POSITIVE_INFINITY }: Emphasis,
): string {
  const wanted = columns.map(({ head }, at) =>
    rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), head.length),
  );
  const widths = fitted(columns, wanted, width);
  const line = (cells: readonly string[]) =>
    columns
      .map((column, at) => cell(column, cells[at] ?? '', widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [strong(line(columns.map(({ head }) => head))), ...rows.map(line)].join('\n');
}

function cell({ right, endCut }: Column, text: string, width: number): string {
  if (right) return text.padStart(width);
  if (endCut && text.length > width) return `${text.slice(0, width - 1)}…`;
  return shortened(text, width).padEnd(width);
}

/** Takes what is too much from the widest text, as far as any is left to take from. */
function fitted(columns: readonly Column[], wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  let over = wanted.reduce((sum, one) => sum + one, 2 * (wanted.length - 1)) - width;
  for (; over > 0; over -= 1) {
    const texts = widths.map((one, at) => (columns[at]?.right || columns[at]?.whole ? 0 : one));
    const widest = Math.max(...texts);
    if (widest <= LEAST_WIDTH) break;
    widths[texts.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The end of a text, as much as fits. */
export function shortened(text: string, width = Number.POSITIVE_INFINITY): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
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
