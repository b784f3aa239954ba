/** Pages as templates in which every value is text unless it was made by one: nothing foreign is ever read as markup. */
import { escapeHtml } from '../web/escape.js';

/** Markup that is safe as it stands. */
export class Html {
  constructor(readonly markup: string) {}
}

/** What may stand in a template; nothing is shown for undefined and false. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Builds markup; values are escaped, for between tags and inside quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, at) => part + (at < values.length ? markupOf(values[at]) : '')).join(''));
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string' || typeof value === 'number') return escapeLines(String(value));
  return value.map(markupOf).join('');
}

/** Lines and tabs stay what they are, for texts that are shown as they were written. */
function escapeLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeHtml(part)))
    .join('');
}
