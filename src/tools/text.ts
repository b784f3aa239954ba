/** The forms that results are rendered in. */

/** A Markdown table: first column left, the others right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cellText = (cell: string) => cell.replaceAll('|', '\\|');
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Foreign text in a cell: names of files may hold anything, line ends among it. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');
}
