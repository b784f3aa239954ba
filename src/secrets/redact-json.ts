/** Takes secrets out of a JSON value: out of each text by itself, then out of the whole, where names tell more. */
import type { JsonValue } from '../core/json.js';
import { redact } from './redact.js';

/** No format is shorter, and what a name makes a secret of is found in the whole. */
const LEAST_TEXT = 16;

/** Redacts the texts of a value. A name alone may give a secret away, as in `{"password": "…"}`. */
export function redactJson(value: JsonValue, salt: string): JsonValue {
  const clean = redactTexts(value, (text) => redact(text, { salt }).text);
  const written = JSON.stringify(clean);
  const whole = redact(written, { salt });
  return whole.found.length === 0 ? clean : (parsed(whole.text) ?? clean);
}

function redactTexts(value: JsonValue, take: (text: string) => string): JsonValue {
  if (typeof value === 'string') return value.length < LEAST_TEXT ? value : take(value);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, take));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactTexts(inner, take)]));
}

/** A value that stood in no string, such as a number, leaves no JSON when it is replaced; it was no secret then. */
function parsed(written: string): JsonValue | undefined {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
