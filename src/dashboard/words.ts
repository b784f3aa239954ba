/** Times, sizes and names as the pages say them. */

export { duration } from '../core/figures.js';

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
