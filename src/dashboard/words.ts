/** Times, sizes and names as the pages say them. */
import { count } from '../core/figures.js';

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

/** A moment for a `datetime` attribute and a tooltip. */
export function moment(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A moment as it is shown, in UTC. */
export function stamp(ms: number): string {
  return moment(ms).slice(0, 19).replace('T', ' ');
}

/** The time of day of a moment, in UTC. */
export function clock(ms: number): string {
  return moment(ms).slice(11, 19);
}

/** A text that is cut where it is longer than `most` characters. */
export function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
