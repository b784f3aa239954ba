/** Replaces secrets by placeholders that keep lines and tell one value from another. Pure, and as fast as the text is long. */
import { createHmac } from 'node:crypto';
import type { Redaction, RedactOptions } from '../core/redaction.js';
import { blockReason } from './blocked-files.js';
import { withoutBlockedFiles } from './diff-files.js';
import { findSecrets, type Secret } from './find-secrets.js';

/** What is known of a text, and what its placeholders are made with. */
export interface RedactTextOptions extends RedactOptions {
  /** Makes placeholders worthless to whoever would guess values from them; the same salt gives the same placeholders. */
  readonly salt: string;
}

/** What a line of a diff is called whose file must not be sent. */
const BLOCKED = 'blocked_file';
const BREAKS = /\r\n|[\n\r\u2028\u2029]/g;

/** Redacts; see `Redaction`. */
export function redact(whole: string, { salt, path }: RedactTextOptions): Redaction {
  const { text, lines } = withoutBlockedFiles(whole, (line) => placeholderOf(BLOCKED, line, salt));
  const secrets = findSecrets(text);
  const spans = secrets.map(({ kind }) => ({ kind, start: 0, end: 0 }));
  const blocked = blockReason(text, spans, path);
  return {
    text: replaced(text, secrets, salt),
    found: [...lines.map((line) => ({ kind: BLOCKED, line })), ...located(text, secrets)],
    ...(blocked !== undefined && { blocked }),
  };
}

/** The placeholder of a value: four hexadecimal digits tell values apart and give next to nothing of them away. */
export function placeholderOf(kind: string, value: string, salt: string): string {
  return `[REDACTED:${kind}:${createHmac('sha256', salt).update(value).digest('hex').slice(0, 4)}]`;
}

function replaced(text: string, secrets: readonly Secret[], salt: string): string {
  const known = new Map<string, string>();
  let result = '';
  let from = 0;
  for (const { kind, value, parts } of secrets) {
    for (const [index, [start, end]] of parts.entries()) {
      const placeholder =
        index === 0 ? remembered(known, `${kind} ${value}`, () => placeholderOf(kind, value, salt)) : '';
      result += text.slice(from, start) + placeholder + (text.slice(start, end).match(BREAKS) ?? []).join('');
      from = end;
    }
  }
  return result + text.slice(from);
}

function remembered(known: Map<string, string>, key: string, make: () => string): string {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}

function located(text: string, secrets: readonly Secret[]): Redaction['found'] {
  let line = 1;
  let from = 0;
  return secrets.map(({ kind, parts }) => {
    const start = parts[0]?.[0] ?? 0;
    line += text.slice(from, start).match(/\r\n|[\n\r]/g)?.length ?? 0;
    from = start;
    return { kind, line };
  });
}
