/** The table that results are rendered with. */

/** A Markdown table: first column left, the others right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cellText = (cell: string) => cell.replaceAll('|', '\\|');
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
