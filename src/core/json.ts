/** Plain JSON values: all that crosses a process or is stored. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether lists and objects nest deeper than this; told without recursion, for those who would recurse into the value. */
export function nestsDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** A value as JSON holds it: what it cannot hold is dropped, as when it is stored and read back. */
export function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
