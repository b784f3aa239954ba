/** A section of a report as HTML: heading, sentences and a table that sorts and scrolls on its own. */
import { count } from '../../core/figures.js';
import { escapeHtml } from '../../web/escape.js';
import type { Section, SectionCell } from '../section.js';

/** `before` is HTML that stands between the sentences and the table. */
export function sectionHtml({ id, title, sentences, heads, rows, total }: Section, before = ''): string {
  const words = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('');
  const table = rows.length === 0 ? '' : tableHtml(id, { heads, rows, ...(total && { total }) });
  return `<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${escapeHtml(title)}</h2>${words}${before}${table}</section>`;
}

function tableHtml(id: string, { heads, rows, total }: Pick<Section, 'heads' | 'rows' | 'total'>): string {
  const numbers = heads.map((_, at) => rows.every((row) => row[at] === undefined || typeof row[at] === 'number'));
  const cell = (value: SectionCell, at: number) => {
    const kind = numbers[at] ? ' class="number"' : '';
    return at === 0 ? `<th scope="row">${cellHtml(value)}</th>` : `<td${kind}>${cellHtml(value)}</td>`;
  };
  const line = (row: readonly SectionCell[]) => `<tr>${row.map(cell).join('')}</tr>`;
  const head = heads.map((name, at) => `<th scope="col"${numbers[at] ? ' class="number"' : ''}>${name}</th>`).join('');
  const foot = total ? `<tfoot>${line(total)}</tfoot>` : '';
  return (
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-h"><table class="sortable"><thead><tr>${head}</tr></thead>` +
    `<tbody>${rows.map(line).join('')}</tbody>${foot}</table></div>`
  );
}

function cellHtml(cell: SectionCell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return count(cell);
  return typeof cell === 'string' ? escapeHtml(cell) : `<bdi>${breakable(escapeHtml(cell.name))}</bdi>`;
}

/** Long paths break after a slash first. */
function breakable(html: string): string {
  return html.replaceAll('/', '/<wbr>');
}
