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

const STEPS = [
  { limit: 90, ms: 1_000, unit: 's' },
  { limit: 90, ms: 60_000, unit: 'min' },
  { limit: 48, ms: 3_600_000, unit: 'h' },
  { limit: Number.POSITIVE_INFINITY, ms: 24 * 3_600_000, unit: 'd' },
] as const;

/** How long, such as `12 s` or `3 min`; never negative, since clocks differ. */
export function duration(ms: number): string {
  const whole = Math.max(0, ms);
  const step = STEPS.find((one) => Math.round(whole / one.ms) < one.limit) ?? STEPS[3];
  return `${count(Math.round(whole / step.ms))} ${step.unit}`;
}
