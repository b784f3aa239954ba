/** The last hour as a plot: what ended in each minute stacked by how, what was submitted and what started as lines above. */
import type { MinuteRates } from '../core/overview.js';
import { type Html, html } from './html.js';
import { clock } from './words.js';

const WIDTH = 10;
const HEIGHT = 120;
const LINES = ['submitted', 'started'] as const;
const STACK = ['completed', 'failed', 'cancelled'] as const;

/** Draws it; attributes of SVG instead of styles, since the page allows no style but its sheet. */
export function ratesPlot(minutes: readonly MinuteRates[]): Html {
  const most = scaleFor(
    Math.max(1, ...minutes.flatMap((minute) => [ended(minute), ...LINES.map((name) => minute[name])])),
  );
  const heightOf = (figure: number): number => Math.round((1_000 * HEIGHT * figure) / most) / 1_000;
  const bars = minutes.map((minute, at) => {
    let top = HEIGHT;
    const rects = STACK.map((name) => {
      const height = heightOf(minute[name]);
      top -= height;
      return (
        height > 0 &&
        html`<rect class="${name}" x="${at * WIDTH + 1}" y="${top}" width="${WIDTH - 2}" height="${height}"/>`
      );
    });
    const empty = html`<rect class="hover" x="${at * WIDTH}" y="0" width="${WIDTH}" height="${HEIGHT}"/>`;
    return html`<g>${empty}${rects}<title>${minuteWords(minute)}</title></g>`;
  });
  // The current minute has only begun.
  const whole = minutes.slice(0, -1);
  const lines = LINES.map((name) => {
    const points = whole.map((minute, at) => `${at * WIDTH + WIDTH / 2},${HEIGHT - heightOf(minute[name])}`);
    return html`<polyline class="${name}" points="${points.join(' ')}"/>`;
  });
  const first = minutes[0];
  return html`<figure class="plot">
<svg viewBox="0 -1 ${minutes.length * WIDTH} ${HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="${plotWords(minutes)}">
<line class="rule" x1="0" x2="${minutes.length * WIDTH}" y1="0" y2="0"/><line class="rule" x1="0" x2="${minutes.length * WIDTH}" y1="${HEIGHT / 2}" y2="${HEIGHT / 2}"/><line class="rule" x1="0" x2="${minutes.length * WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>
${bars}${lines}</svg>
<figcaption><span>${first ? clock(first.atMs).slice(0, 5) : ''} UTC</span><span>top: ${most} a minute</span><span>now</span></figcaption>
<ul class="legend"><li class="key submitted">submitted</li><li class="key started">started</li><li class="key completed">completed</li><li class="key failed">failed</li><li class="key cancelled">cancelled</li></ul></figure>`;
}

/** What happened in all minutes together. */
export function sumOf(minutes: readonly MinuteRates[], name: (typeof LINES)[number] | (typeof STACK)[number]): number {
  return minutes.reduce((sum, minute) => sum + minute[name], 0);
}

function ended({ completed, failed, cancelled }: MinuteRates): number {
  return completed + failed + cancelled;
}

/** The next of 1, 2 and 5 times a power of ten. */
function scaleFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power;
}

function minuteWords(minute: MinuteRates): string {
  const { submitted, started, completed, failed, cancelled } = minute;
  return `${clock(minute.atMs).slice(0, 5)} UTC: ${submitted} submitted, ${started} started, ${completed} completed, ${failed} failed, ${cancelled} cancelled`;
}

function plotWords(minutes: readonly MinuteRates[]): string {
  const figures = [...LINES, ...STACK].map((name) => `${sumOf(minutes, name)} ${name}`).join(', ');
  return `Jobs of the last hour by the minute: ${figures}.`;
}
