/** Finds every secret in a text by all the ways there are. Nothing in the text, such as a comment, can switch one off. */
import { findAssignments } from './assignments.js';
import { FORMAT_RULES, type FormatRule } from './format-rules.js';
import { joinLines } from './joined-lines.js';
import { findNearby } from './nearby.js';
import { isExampleToken } from './placeholder-values.js';
import { findPrivateKeys } from './private-keys.js';
import { mergeSpans, type Span } from './span.js';
import { findUrlPasswords } from './url-passwords.js';
import { findWrapped } from './wrapped.js';
import { findWrappedTokens } from './wrapped-tokens.js';

/** A secret and the parts of the text its value stands in; more than one if it is split over lines. */
export interface Secret {
  readonly kind: string;
  readonly value: string;
  readonly parts: readonly (readonly [start: number, end: number])[];
}

/** Finds them, in order of place. Time is linear in the length of the text. */
export function findSecrets(given: string): Secret[] {
  const { text, parts } = joinLines(given);
  const plain = findPlain(text);
  const spans = mergeSpans([...plain, ...findWrapped(text, plain, findPlain)]);
  return spans.map(({ start, end, kind }) => ({ kind, value: text.slice(start, end), parts: parts(start, end) }));
}

/** What is there to be read, without unwrapping. */
function findPlain(text: string): Span[] {
  const ofFormat = (part: string) => FORMAT_RULES.flatMap((rule) => findFormat(part, rule));
  const formats = ofFormat(text);
  return mergeSpans([
    ...findPrivateKeys(text),
    ...findWrappedTokens(text, formats, ofFormat),
    ...formats,
    ...findNearby(text, formats),
    ...findUrlPasswords(text),
    ...findAssignments(text),
  ]);
}

function findFormat(text: string, { kind, keywords, pattern, accepts }: FormatRule): Span[] {
  if (!keywords.some((keyword) => text.includes(keyword))) return [];
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match.groups?.value ?? match[0];
    if (isExampleToken(value) || accepts?.(value) === false) return [];
    const [start, end] = match.indices?.groups?.value ?? [match.index, match.index + match[0].length];
    return [{ start, end, kind }];
  });
}
