/** What taking secrets out of a text gives, and the port through which both sides of the product have it done. */

import type { JsonValue } from './json.js';

/** A secret that was found; never its value. */
export interface FoundSecret {
  /** Such as `github_token`; a word of `[a-z0-9_]`. */
  readonly kind: string;
  /** Line it begins on, from 1. */
  readonly line: number;
}

/** A text without its secrets. */
export interface Redaction {
  /** Each value is a placeholder such as `[REDACTED:github_token:1f3a]`, the same for the same value; no line is gained or lost. */
  readonly text: string;
  /** In order of place. */
  readonly found: readonly FoundSecret[];
  /** Why a file of this name or content must not be sent at all, as words that follow a file's name; absent if it may. */
  readonly blocked?: string;
}

/** What is known of a text beside itself. */
export interface RedactOptions {
  /** Path of the file it comes from; its name alone may block it. */
  readonly path?: string;
}

/** Takes secrets out of texts, large ones beside the event loop. */
export interface Redactor {
  /** Redacting twice changes nothing more. Rejects with `redaction_failed` if it cannot be done in time: the text must not be sent then. */
  redact(text: string, options?: RedactOptions): Promise<Redaction>;
}

/** A redactor of JSON values as well. */
export interface JsonRedactor extends Redactor {
  /** As `redact`, for every text within a value; what a text is called counts, too. Keys, numbers and the rest stay. */
  redactJson(value: JsonValue): Promise<JsonValue>;
}

/** Tells names of files that hold secrets, cheaply: most hold none. */
export interface NameGuard {
  /** Names its rules: what was told by others is told anew. */
  readonly rules: string;
  holdsSecret(name: string): boolean;
}
