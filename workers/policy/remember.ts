/** Remembers what redacting texts came to: a parked job asks all its questions again in every run, word for word. */
import { fingerprint } from '../../src/core/ids.js';
import type { Redact } from './prepare.js';

/** Characters of redacted texts that are kept; a text without secrets costs its fingerprint only. */
const KEPT_CHARS = 8 * 1_048_576;
const KEPT_TEXTS = 10_000;

/** Builds a `redact` that does each text once, as long as it is remembered; a failure is not remembered. */
export function remembering(redact: Redact): Redact {
  // In order of last use, oldest first. Null for a text that came back as it went.
  const known = new Map<string, string | null>();
  let chars = 0;
  const forget = (key: string): void => {
    chars -= known.get(key)?.length ?? 0;
    known.delete(key);
  };
  const keep = (key: string, redacted: string | null): void => {
    forget(key);
    known.set(key, redacted);
    chars += redacted?.length ?? 0;
    for (const [oldest] of known) {
      if (chars <= KEPT_CHARS && known.size <= KEPT_TEXTS) return;
      forget(oldest);
    }
  };
  return async (text) => {
    const key = fingerprint(text);
    const before = known.get(key);
    const redacted = before === undefined ? await redact(text) : (before ?? text);
    keep(key, redacted === text ? null : redacted);
    return redacted;
  };
}
