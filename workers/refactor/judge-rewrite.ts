/** Judges whether a rewritten file may take the place of the old one; both are in plain form, secrets replaced. */
import type { RewriteStyle } from '../review/rewrite-prompts.js';
import { findElision } from './elisions.js';
import { strayPlaceholder } from './placeholders.js';

/** What is judged. */
export interface Rewrite {
  readonly language: string;
  readonly style: RewriteStyle;
  readonly original: string;
  readonly answer: string;
}

/** The verdict: fit to be written, the same as before, or refused with the reason in a sentence. */
export type Verdict =
  | { readonly kind: 'fit' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Counts the syntax errors of a text; undefined where that cannot be said. */
export type CountErrors = (language: string, text: string) => Promise<number | undefined>;

/** The share of a file's characters, white space aside, that a rewrite must keep at least. */
export const LEAST_SHARE: Readonly<Record<RewriteStyle, number>> = { concise: 0.4, verbose: 0.8, safe: 0.7 };

/** Indented lines from which on a file has a kind of indentation. */
const INDENTED = 3;

const RULES: readonly ((rewrite: Rewrite) => string | undefined)[] = [
  ({ answer }) => (answer.trim() === '' ? 'The answer is an empty file.' : undefined),
  ({ original, answer }) => {
    const line = findElision(original, answer);
    return line === undefined ? undefined : `The answer leaves code out: ${JSON.stringify(line)}.`;
  },
  ({ original, answer }) =>
    /^\s*```/.test(answer) && !/^\s*```/.test(original) ? 'The answer is wrapped in a fence.' : undefined,
  ({ original, answer }) => {
    const stray = strayPlaceholder(original, answer);
    return stray === undefined ? undefined : `${stray} stands for a secret and does not stand as often as before.`;
  },
  shrunken,
  ({ original, answer }) =>
    hasControls(answer) && !hasControls(original) ? 'The answer holds control characters.' : undefined,
  // Half of a surrogate pair would be written as another character.
  ({ answer }) => (/\p{Surrogate}/u.test(answer) ? 'The answer holds half a character.' : undefined),
  ({ answer }) => (/FILE [0-9a-f]{32}/.test(answer) ? 'The answer holds the marks around the file.' : undefined),
  reindented,
];

/** Judges by the rules above, then by a parser where there is one. */
export async function judgeRewrite(rewrite: Rewrite, countErrors: CountErrors): Promise<Verdict> {
  const { original, answer, language } = rewrite;
  if (answer === original) return { kind: 'unchanged' };
  for (const rule of RULES) {
    const reason = rule(rewrite);
    if (reason !== undefined) return { kind: 'refused', reason };
  }
  const before = await countErrors(language, original);
  const after = before === undefined ? undefined : await countErrors(language, answer);
  if (before === undefined || after === undefined || after <= before) return { kind: 'fit' };
  return {
    kind: 'refused',
    reason: `The answer parses worse than the file: ${after} syntax errors instead of ${before}.`,
  };
}

function shrunken({ original, answer, style }: Rewrite): string | undefined {
  const [before, after] = [solid(original), solid(answer)];
  if (after >= before * LEAST_SHARE[style]) return undefined;
  const percent = (share: number) => `${Math.floor(share * 100)} %`;
  return `The answer is only ${percent(after / before)} as long as the file; ${style} rewrites must keep ${percent(LEAST_SHARE[style])}.`;
}

function solid(text: string): number {
  return text.replace(/\s+/g, '').length;
}

function hasControls(text: string): boolean {
  return /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(text);
}

function reindented({ original, answer }: Rewrite): string | undefined {
  const [before, after] = [indentation(original), indentation(answer)];
  if (before === undefined || after === undefined || before === after) return undefined;
  return `The answer is indented by ${after}, the file by ${before}.`;
}

function indentation(text: string): 'tabs' | 'spaces' | undefined {
  const tabs = text.match(/^\t/gm)?.length ?? 0;
  const spaces = text.match(/^ {2}/gm)?.length ?? 0;
  if (Math.max(tabs, spaces) < INDENTED || tabs === spaces) return undefined;
  return tabs > spaces ? 'tabs' : 'spaces';
}
