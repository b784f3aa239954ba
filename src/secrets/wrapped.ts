/** Finds secrets that are wrapped in Base64, by decoding what looks like text in it and looking into that once. */
import type { Span } from './span.js';

/** Lines of equal length as encoders wrap them, else one stretch; both kinds of alphabet. */
const STRETCH =
  /(?<![A-Za-z0-9+/_-])(?:(?:[A-Za-z0-9+/]{40,128}\r?\n[ \t]{0,32}){1,4000}[A-Za-z0-9+/]{2,128}|[A-Za-z0-9+/_-]{24,})={0,2}/g;
/** So much of a stretch tells whether it is looked into. */
export const HEAD_CHARS = 128;
/** Bytes of a text that are letters, digits, signs or blanks, in hundredths; of other data about a third is. */
const LEAST_TEXT = 0.9;

/**
 * Finds the stretches of Base64 that hold a secret; `look` finds the kinds within a text. `taken` stretches are known
 * already.
 */
export function findWrapped(text: string, taken: readonly Span[], look: (decoded: string) => readonly Span[]): Span[] {
  const spans: Span[] = [];
  let index = 0;
  for (const { index: start, 0: code } of text.matchAll(STRETCH)) {
    const end = start + code.length;
    let known = taken[index];
    while (known && known.end <= start) known = taken[++index];
    if (known && known.start < end) continue;
    const [inner] = holdsText(code) ? look(decode(code)) : [];
    if (inner) spans.push({ start, end, kind: inner.kind });
  }
  return spans;
}

/** Whether the head of a stretch of Base64 is a text. */
export function holdsText(code: string): boolean {
  return isText(decode(code.slice(0, HEAD_CHARS)));
}

/** Node's decoder takes both alphabets and passes over line breaks. */
function decode(code: string): string {
  return Buffer.from(code, 'base64').toString('utf8');
}

function isText(head: string): boolean {
  const readable = head.match(/[\x20-\x7e\s]/g)?.length ?? 0;
  return head.length > 0 && readable / head.length >= LEAST_TEXT;
}
