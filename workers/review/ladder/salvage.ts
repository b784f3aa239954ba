/** Saves what is complete of an answer that breaks off; what is saved is never the whole answer. */
import { closingOf } from './brackets.js';

/** Items of one answer that are saved. */
const MOST_ITEMS = 200;

/** The items of the last list under this name, as far as they are complete; undefined if there is not one. */
export function salvageItems(text: string, list: string): readonly unknown[] | undefined {
  let at = startOfList(text, list);
  const items: unknown[] = [];
  while (at !== undefined && items.length < MOST_ITEMS) {
    const start = itemAt(text, at);
    const end = start === undefined ? undefined : closingOf(text, start);
    if (start === undefined || end === undefined) break;
    const item = parse(text.slice(start, end));
    if (item === undefined) break;
    items.push(item);
    at = end;
  }
  return items.length === 0 ? undefined : items;
}

/** The whole lines of the last text under this name, which breaks off; undefined if there is not one. */
export function salvageLines(text: string, name: string): string | undefined {
  const start = new RegExp(`"${name}"\\s*:\\s*"`).exec(text);
  if (!start) return undefined;
  const rest = text.slice(start.index + start[0].length);
  const end = rest.lastIndexOf('\\n');
  const lines = end < 0 ? undefined : parse(`"${rest.slice(0, end)}\\n"`);
  return typeof lines === 'string' ? lines : undefined;
}

/** Behind the bracket that opens the list, the last time it is named. */
function startOfList(text: string, list: string): number | undefined {
  const name = text.lastIndexOf(`"${list}"`);
  if (name < 0) return /^\s*(?:```\w*\s+)?\[/.exec(text)?.[0].length;
  const opening = /^\s*:\s*\[/.exec(text.slice(name + list.length + 2, name + list.length + 202));
  return opening ? name + list.length + 2 + opening[0].length : undefined;
}

/** Where the next item's brace is: only blanks and a comma may stand before it. */
function itemAt(text: string, from: number): number | undefined {
  let at = from;
  while (/[\s,]/.test(text[at] ?? '')) at += 1;
  return text[at] === '{' ? at : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
