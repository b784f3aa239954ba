/** Finds the bodies of private keys in ASCII armour: PEM, OpenSSH, PGP, and PuTTY's files. */
import type { Span } from './span.js';

const BEGIN = /-{4,5} ?BEGIN ((?:[A-Z0-9]{1,12} ){0,4})PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: ?\d{1,4}/g;
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/PGP/, 'pgp_private_key'],
  [/OPENSSH|SSH2/, 'openssh_private_key'],
  [/RSA/, 'rsa_private_key'],
  [/EC /, 'ec_private_key'],
  [/DSA/, 'dsa_private_key'],
  [/Lines/, 'putty_private_key'],
];
/** Longer than any key's armour. */
const LONGEST_BODY = 65_536;
const LONGEST_LINE = 200;
/** Stretches of Base64 this long are lines of a key, and no words. */
const CODE = /[A-Za-z0-9+/=]{16,}/g;
const LEAST_LINE = 24;
/** So much of a body is code; the rest is what strings and joints put around the lines. */
const LEAST_SHARE = 0.6;
/** What stands around the lines of a key within a string of some language: escaped line breaks, quotes, joints. */
const AROUND = /^(?:\\[nrt]|[\s"'`+,;:\\|>.-])+/;
const AROUND_CHARS = ' \t\r\n"\'`,;:\\|>.-';
/** A line of a key whose end is missing, with what a string puts around it. */
const BODY_LINE = /^\s*[+-]?\s*["'`>|]?[A-Za-z0-9+/=]{16,}(?:\\[nrt])*["'`]?\s*[+,;\\]?\s*$/;
const HEADER_LINE = /^[\s"'`]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash):|$)/;
const ESCAPED_BODY = /^(?:\\{1,2}[nr]|[A-Za-z0-9+/=])+/;

/** Finds the keys. */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  for (const begin of text.matchAll(BEGIN)) {
    const from = begin.index + begin[0].length;
    const span = bodySpan(
      text,
      from,
      begin[0].startsWith('-') ? endOf(text, from) : Math.min(text.length, from + LONGEST_BODY),
    );
    if (span) spans.push({ ...span, kind: kindOf(begin[0]) });
  }
  return spans;
}

function kindOf(header: string): string {
  return KINDS.find(([pattern]) => pattern.test(header))?.[1] ?? 'private_key';
}

/** Where the body ends for certain: at the closing line, or where another begins. */
function endOf(text: string, from: number): number {
  const ahead = text.slice(from, from + LONGEST_BODY);
  const dashes = ahead.indexOf('----');
  return from + (dashes === -1 ? ahead.length : dashes);
}

function bodySpan(text: string, from: number, limit: number): Omit<Span, 'kind'> | undefined {
  // A diff puts one more dash before a line that it takes away.
  const closed = /^-{4,6} ?END/.test(text.slice(limit, limit + 10));
  const rawEnd = closed ? limit : openEnd(text, from, limit);
  const start = from + (AROUND.exec(text.slice(from, rawEnd))?.[0].length ?? 0);
  const end = trimmedEnd(text, start, rawEnd);
  return isBody(text.slice(start, end)) ? { start, end } : undefined;
}

/** Where a key ends whose closing line is not there, as in the first part of a file. */
function openEnd(text: string, from: number, limit: number): number {
  const escaped = ESCAPED_BODY.exec(text.slice(from, limit))?.[0] ?? '';
  if (escaped.length >= LONGEST_LINE || escaped.includes('\\')) return from + escaped.length;
  let end = from;
  while (end < limit) {
    const lineEnd = lineEndAt(text, end, limit);
    const line = text.slice(end, lineEnd);
    if (line.length > LONGEST_LINE || !(HEADER_LINE.test(line) || BODY_LINE.test(line))) break;
    end = Math.min(lineEnd + 1, limit);
  }
  return end;
}

function lineEndAt(text: string, from: number, limit: number): number {
  const breakAt = text.slice(from, Math.min(limit, from + LONGEST_LINE + 2)).indexOf('\n');
  return breakAt === -1 ? Math.min(limit, from + LONGEST_LINE + 2) : from + breakAt;
}

function trimmedEnd(text: string, start: number, from: number): number {
  let end = from;
  while (end > start) {
    if (AROUND_CHARS.includes(text.charAt(end - 1))) end -= 1;
    else if ('nrt'.includes(text.charAt(end - 1)) && text.charAt(end - 2) === '\\') end -= 2;
    else break;
  }
  return end;
}

function isBody(body: string): boolean {
  const plain = body.replace(/\\{1,2}[nrt]/g, '\n');
  const lines = plain.match(CODE) ?? [];
  const code = lines.join('');
  const ink = plain.replace(/\s/g, '').length;
  const isCode = lines.some((line) => line.length >= LEAST_LINE) && code.length >= ink * LEAST_SHARE;
  return isCode && code.length >= 40 && new Set(code).size > 8;
}
