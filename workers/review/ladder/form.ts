/** What an answer should hold: a form reads any JSON value as what was asked for, item by item, or names what is wrong. */
import type { z } from 'zod';
import { salvageItems } from './salvage.js';

/** What is wrong, and where: the path names our own fields and places in lists, never words of the answer. */
export interface Fault {
  /** Such as `findings.2.severity`; `answer` for the whole of it. */
  readonly path: string;
  readonly message: string;
}

/** A JSON value as it was read. `empty` tells a list without items, which is an answer only where nothing speaks against it. */
export type FormReading<Value> =
  | { readonly ok: true; readonly value: Value; readonly faults: readonly Fault[]; readonly empty: boolean }
  | { readonly ok: false; readonly fault: Fault };

/** A form of answer. */
export interface Form<Value> {
  /** What can be saved of an answer that breaks off, as JSON of this form; absent if nothing ever can. */
  salvage?(text: string): unknown;
  read(json: unknown): FormReading<Value>;
  /** Joins what was read before a repair with what came of it. */
  merge(before: Value, after: Value): Value;
}

/** Items of one answer that are looked at. */
const MOST_ITEMS = 200;

/** The form `{"<name>": [item, …]}`; a bare list that holds items is taken for it. Items are judged one by one. */
export function listForm<Item>(name: string, item: z.ZodType<Item>): Form<readonly Item[]> {
  return {
    salvage(text) {
      const items = salvageItems(text, name);
      return items && { [name]: items };
    },
    read(json) {
      const list = listIn(json, name);
      if (!list) return { ok: false, fault: { path: name, message: `it holds no list of ${name}` } };
      const read = readItems(name, list, item);
      const [first] = read.faults;
      // Nothing usable among what was given is no empty list.
      if (read.items.length === 0 && first) return { ok: false, fault: first };
      return { ok: true, value: read.items, faults: read.faults, empty: list.length === 0 };
    },
    merge: (before, after) => [...before, ...after],
  };
}

/** The form of one object; fields that nobody asked for are passed over. */
export function objectForm<Value>(schema: z.ZodType<Value>, salvage?: Form<Value>['salvage']): Form<Value> {
  return {
    ...(salvage && { salvage }),
    read(json) {
      const parsed = schema.safeParse(json);
      if (parsed.success) return { ok: true, value: parsed.data, faults: [], empty: false };
      return { ok: false, fault: faultOf('', parsed.error) };
    },
    merge: (_before, after) => after,
  };
}

/** Judges the items of a list one by one, each fault with its path. */
export function readItems<Item>(
  name: string,
  list: readonly unknown[],
  item: z.ZodType<Item>,
): { readonly items: readonly Item[]; readonly faults: readonly Fault[] } {
  const items: Item[] = [];
  const faults: Fault[] = [];
  for (const [index, candidate] of list.slice(0, MOST_ITEMS).entries()) {
    const parsed = item.safeParse(candidate);
    if (parsed.success) items.push(parsed.data);
    else faults.push(faultOf(`${name}.${index}`, parsed.error));
  }
  if (list.length > MOST_ITEMS)
    faults.push({ path: name, message: `only the first ${MOST_ITEMS} of ${list.length} were looked at` });
  return { items, faults };
}

function listIn(json: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json.length > 0 ? json : undefined;
  if (!isRecord(json)) return undefined;
  const list = json[name];
  if (Array.isArray(list)) return list;
  // Some models wrap the whole answer once more, as {"result": {…}}.
  const [inner, ...others] = Object.values(json);
  const wrapped = isRecord(inner) && others.length === 0 ? inner[name] : undefined;
  return Array.isArray(wrapped) ? wrapped : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function faultOf(prefix: string, error: z.ZodError): Fault {
  const [issue] = error.issues;
  const path = [...(prefix === '' ? [] : [prefix]), ...(issue?.path ?? []).map(String)].join('.');
  return { path: path === '' ? 'answer' : path, message: issue?.message ?? 'it does not fit' };
}
