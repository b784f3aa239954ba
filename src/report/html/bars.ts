/** Bar charts as lists: each row says in words what its bar shows. */
import { count } from '../../core/figures.js';
import { escapeHtml } from '../../web/escape.js';
import type { Hotspot, LanguageRow } from '../analysis.js';

const MOST_BARS = 12;

interface Bar {
  readonly label: string;
  readonly value: string;
  /** Stretches of the bar, as shares of its full width, each with the name of its colour. */
  readonly stretches: readonly { readonly share: number; readonly colour: string }[];
}

/** Languages by lines: code, comments and blanks of each. */
export function languageBars(languages: readonly LanguageRow[]): string {
  const sorted = [...languages].sort((a, b) => b.lines - a.lines);
  const most = sorted[0]?.lines ?? 0;
  const legend = ['code', 'comments', 'blanks'].map((name) => `<li class="key ${name}">${name}</li>`).join('');
  const bars = sorted.slice(0, MOST_BARS).map((row): Bar => {
    const stretch = (lines: number, colour: string) => ({ share: most === 0 ? 0 : lines / most, colour });
    return {
      label: row.language,
      value: `${count(row.code)} code, ${count(row.comments)} comments, ${count(row.blanks)} blanks`,
      stretches: [stretch(row.code, 'code'), stretch(row.comments, 'comments'), stretch(row.blanks, 'blanks')],
    };
  });
  return `<ul class="legend">${legend}</ul>${barList(bars)}${moreText(languages.length, 'languages')}`;
}

/** Hotspots by score. */
export function hotspotBars(hotspots: readonly Hotspot[]): string {
  const most = Math.max(0, ...hotspots.map(({ score }) => score));
  const bars = hotspots.slice(0, MOST_BARS).map((one) => ({
    label: one.path,
    value: `${count(one.commits)} commits × ${count(one.complexity)} decisions`,
    stretches: [{ share: most === 0 ? 0 : one.score / most, colour: 'hot' }],
  }));
  return `${barList(bars)}${moreText(hotspots.length, 'hotspots')}`;
}

function barList(bars: readonly Bar[]): string {
  const rows = bars.map(({ label, value, stretches }) => {
    let from = 0;
    // Attributes of SVG instead of styles: the page allows no style but its own sheet.
    const rects = stretches.map(({ share, colour }) => {
      const rect = `<rect class="${colour}" x="${percent(from)}" width="${percent(share)}" height="100%"/>`;
      from += share;
      return rect;
    });
    return `<li><span class="label"><bdi>${escapeHtml(label)}</bdi></span> <span class="value">${escapeHtml(value)}</span><svg class="bar" aria-hidden="true">${rects.join('')}</svg></li>`;
  });
  return `<ul class="bars">${rows.join('')}</ul>`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}

function moreText(all: number, what: string): string {
  return all > MOST_BARS ? `<p class="faint">The first ${MOST_BARS} of ${count(all)} ${what}.</p>` : '';
}
