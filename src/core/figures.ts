/** Numbers as people read them. */

/** A whole number with thousands separated by commas. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Bytes in the largest binary unit that keeps a digit before the point. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return power === 0 ? `${bytes} B` : `${(bytes / 1_024 ** power).toFixed(1)} ${units[power]}`;
}

/** A number of things: `1 file`, `2,000 files`. */
export function counted(amount: number, thing: string): string {
  return `${count(amount)} ${thing}${amount === 1 ? '' : 's'}`;
}
