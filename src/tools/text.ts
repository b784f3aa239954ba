/** Small pieces of text that results are rendered with. */

/** A whole number with thousands separated by commas. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Bytes in the largest binary unit that keeps at least one digit before the point. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * power);
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? 'B'}`;
}

/** A Markdown table: first column left, the others right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cellText = (cell: string) => cell.replaceAll('|', '\\|');
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
