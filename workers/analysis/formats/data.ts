/** Reads parsed JSON, TOML and YAML of unknown shape; sees own keys only, so that `__proto__` is a name like any other. */

/** A parsed object or table. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a value is an object with keys: no list, no date, no null. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** What stands under a path of keys; undefined where one is missing. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) {
    if (!isTable(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** The entries of the table under a path of keys; none where there is no table. */
export function entriesAt(value: unknown, ...keys: readonly string[]): [string, unknown][] {
  const found = valueAt(value, ...keys);
  return isTable(found) ? Object.entries(found) : [];
}

/** The list under a path of keys; empty where there is none. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** The strings of the list under a path of keys. */
export function textsAt(value: unknown, ...keys: readonly string[]): string[] {
  return listAt(value, ...keys).filter((item) => typeof item === 'string');
}

/** The text under a path of keys, a number as its digits; undefined where there is neither. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = valueAt(value, ...keys);
  if (typeof found === 'string') return found;
  return typeof found === 'number' ? String(found) : undefined;
}

/** The finite number under a path of keys. */
export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
