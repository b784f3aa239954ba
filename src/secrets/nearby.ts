/** Finds secrets that have no shape of their own but stand beside an identifier that has: the second half of a pair. */
import { entropyOf } from './randomness.js';
import type { Span } from './span.js';

interface Pair {
  /** Kind of the first half, as `FORMAT_RULES` names it. */
  readonly beside: string;
  readonly kind: string;
  readonly pattern: RegExp;
  accepts(value: string): boolean;
}

/** How far the second half may be from the first, to either side. */
const REACH = 400;

const PAIRS: readonly Pair[] = [
  {
    beside: 'aws_access_key',
    kind: 'aws_secret_key',
    pattern: /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g,
    // A commit's hash has the same length, and a path may have it.
    accepts: (value) => /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value) && entropyOf(value) > 4,
  },
  {
    beside: 'twilio_account',
    kind: 'twilio_auth_token',
    pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}(?![A-Za-z0-9])/g,
    accepts: (value) => entropyOf(value) > 3,
  },
];

/** Finds the second halves beside the identifiers in `spans`. Stretches that overlap are looked through once. */
export function findNearby(text: string, spans: readonly Span[]): Span[] {
  return PAIRS.flatMap((pair) => {
    const firsts = spans.filter(({ kind }) => kind === pair.beside);
    return stretches(firsts, text.length).flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(pair.pattern)].flatMap(({ index, 0: value }) =>
        pair.accepts(value) && !/EXAMPLE/.test(value)
          ? [{ start: start + index, end: start + index + value.length, kind: pair.kind }]
          : [],
      ),
    );
  });
}

function stretches(spans: readonly Span[], length: number): Omit<Span, 'kind'>[] {
  const found: { start: number; end: number }[] = [];
  for (const span of spans) {
    const start = Math.max(0, span.start - REACH);
    const end = Math.min(length, span.end + REACH);
    const last = found.at(-1);
    if (last && start <= last.end) last.end = end;
    else found.push({ start, end });
  }
  return found;
}
