/** Finds tokens of a known format that a plain line break cuts in two, as terminals, mails and folded YAML leave them. */
import type { Span } from './span.js';

/** The beginning of a token, then a break within it. Distinctive beginnings only: a break ends any other word. */
const CUT =
  /(?:gh[opusr]_|github_pat_|glpat-|xox[a-z]-|sk-|[sr]k_live_|AKIA|AIza|npm_|pypi-|SG\.|hf_|do[oprt]_v1_|dckr_pat_|shpat_|eyJ)[\w.-]{0,200}(\r?\n[ \t]{0,40})(?=[\w-]{4})/dg;

/** Of what follows the break, so much may belong to the token. */
const LONGEST_REST = 300;
const REST = /^[\w.-]+/;

/**
 * Reads each cut token on over its break; `look` finds tokens within one. What begins in `taken` was whole before its break,
 * so that the word after it is left alone.
 */
export function findWrappedTokens(
  text: string,
  taken: readonly Span[],
  look: (joined: string) => readonly Span[],
): Span[] {
  const starts = new Set(taken.map(({ start }) => start));
  const spans: Span[] = [];
  for (const match of text.matchAll(CUT)) {
    const [breakStart, breakEnd] = match.indices?.[1] ?? [0, 0];
    const head = text.slice(match.index, breakStart);
    const rest = REST.exec(text.slice(breakEnd, breakEnd + LONGEST_REST))?.[0] ?? '';
    const [token] = look(head + rest).filter(({ start, end }) => start === 0 && end > head.length);
    if (!token || starts.has(match.index)) continue;
    spans.push({ start: match.index, end: breakEnd + (token.end - head.length), kind: token.kind });
  }
  return spans;
}
