/** Takes the secrets out of every text within a JSON value. */
import type { JsonValue } from './json.js';

/** The value with each text in it replaced by what `redact` makes of it; names of fields stay. Rejects as `redact` does. */
export async function redactJson(value: JsonValue, redact: (text: string) => Promise<string>): Promise<JsonValue> {
  if (typeof value === 'string') return redact(value);
  if (isList(value)) return Promise.all(value.map((item) => redactJson(item, redact)));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(async ([name, inner]) => [name, await redactJson(inner, redact)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
