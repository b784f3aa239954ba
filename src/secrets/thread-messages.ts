/** What passes between a redactor and its thread, and the work that both can do. */
import type { JsonValue } from '../core/json.js';
import type { Redaction } from '../core/redaction.js';
import { redact } from './redact.js';
import { redactJson } from './redact-json.js';

/** A text or a value to redact; answered by exactly one response. */
export type ThreadRequest =
  | { readonly kind: 'text'; readonly text: string; readonly path?: string; readonly salt: string }
  | { readonly kind: 'json'; readonly value: JsonValue; readonly salt: string };

/** A response. */
export type ThreadResponse =
  | { readonly kind: 'text'; readonly redaction: Redaction }
  | { readonly kind: 'json'; readonly value: JsonValue };

/** Does what a request asks. */
export function respond(request: ThreadRequest): ThreadResponse {
  if (request.kind === 'json') return { kind: 'json', value: redactJson(request.value, request.salt) };
  return { kind: 'text', redaction: redact(request.text, request) };
}
