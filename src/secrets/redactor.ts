/** The redactor of a process: small texts at once, larger ones in a thread and within a time by their size. */
import { createHmac } from 'node:crypto';
import type { JsonValue } from '../core/json.js';
import type { JsonRedactor } from '../core/redaction.js';
import { createRedactionThread, type RedactionThread } from './redaction-thread.js';
import { respond, type ThreadRequest, type ThreadResponse } from './thread-messages.js';

/** Characters that are redacted at once: a millisecond's work. */
const INLINE_CHARS = 4_096;
/** A thread's start on a busy machine, and many times what the slowest text of a size takes. */
const BASE_LIMIT_MS = 5_000;
const LIMIT_MS_PER_MIB = 15_000;

/** What a redactor is made of. */
export interface RedactorOptions {
  /** The installation's secret. Asked for each time, so it should be remembered by whoever gives it. */
  secret(): Promise<string>;
  readonly thread?: RedactionThread;
}

/** A redactor that owns a thread. */
export interface OwnedRedactor extends JsonRedactor {
  /** Ends its thread. Idempotent. */
  close(): Promise<void>;
}

/**
 * Builds the redactor of one process. Placeholders carry a piece of a hash under a salt that all processes of the
 * installation derive from its secret. So a handler that is run again by another worker asks word for word what it asked
 * before, a repeated call has the same idempotency fingerprint, and whoever reads a placeholder cannot try passwords
 * against it, as an unsalted hash of a weak one would allow.
 */
export function createRedactor({ secret, thread = createRedactionThread() }: RedactorOptions): OwnedRedactor {
  const respondTo = async (request: ThreadRequest, chars: number): Promise<ThreadResponse> =>
    chars <= INLINE_CHARS ? respond(request) : thread.ask(request, limitOf(chars));
  return {
    async redact(text, { path } = {}) {
      const request = {
        kind: 'text',
        text,
        salt: saltOf(await secret()),
        ...(path !== undefined && { path }),
      } as const;
      const response = await respondTo(request, text.length);
      if (response.kind !== 'text') throw new TypeError('a redaction thread answered a text with something else');
      return response.redaction;
    },
    async redactJson(value) {
      const request = { kind: 'json', value, salt: saltOf(await secret()) } as const;
      const response = await respondTo(request, charsOf(value));
      if (response.kind !== 'json') throw new TypeError('a redaction thread answered a value with something else');
      return response.value;
    },
    close: () => thread.close(),
  };
}

function limitOf(chars: number): number {
  return BASE_LIMIT_MS + Math.ceil((chars / 1_048_576) * LIMIT_MS_PER_MIB);
}

function charsOf(value: JsonValue): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

/** Another use of the secret than sealing, so another key. */
function saltOf(secret: string): string {
  return createHmac('sha256', secret).update('placeholders of redacted values').digest('hex');
}
