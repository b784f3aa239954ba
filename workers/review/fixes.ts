/** Judges proposed fixes against the file: only what applies in one place and leaves the file sound is offered. */
import type { ProposedFix } from './review-forms.js';

/** Counts the syntax errors of a text; undefined where no parser knows the language. */
export type CountSyntaxErrors = (language: string, text: string) => Promise<number | undefined>;

/** A fix that can be applied, or why it is not offered. */
export type JudgedFix =
  | {
      readonly ok: true;
      readonly start: number;
      readonly end: number;
      /** In the line ends of the file, as `replace` is. */
      readonly find: string;
      readonly replace: string;
    }
  | { readonly ok: false; readonly reason: string };

/** What a fix is judged against. */
export interface FixTarget {
  readonly language: string;
  readonly text: string;
  /** How its lines end; absent if not all in the same way. */
  readonly lineEnd?: string | undefined;
  readonly countSyntaxErrors: CountSyntaxErrors;
}

/** Where a secret was taken out: a text with it in is not the file's, so it would not be found there, or would be written into it. */
export const PLACEHOLDER = /\[REDACTED:\w+:[0-9a-f]+\]/;

const BRACKETS = ['()', '[]', '{}'] as const;

/**
 * Judges one fix. The brackets are counted where no parser knows the language: a crude test, for strings may hold some too,
 * but a fix that leaves one open is worse than none.
 */
export async function judgeFix(fix: ProposedFix, target: FixTarget): Promise<JudgedFix> {
  const { text, lineEnd } = target;
  if (lineEnd === undefined && /[\r\n]/.test(fix.find + fix.replace))
    return refused('it has several lines, and those of the file do not all end alike');
  const find = inLineEnds(fix.find, lineEnd);
  const replacement = inLineEnds(fix.replace, lineEnd);
  const start = text.indexOf(find);
  if (start < 0) return refused('its text is not in the file');
  if (text.indexOf(find, start + 1) >= 0) return refused('its text is in the file more than once');
  if (find.trim() === '') return refused('its text is blank');
  const end = start + find.length;
  if (replacement.trim() === find.trim()) return refused('it changes nothing');
  if (PLACEHOLDER.test(find + replacement)) return refused('it touches a secret that was taken out');
  const after = text.slice(0, start) + replacement + text.slice(end);
  if (!keepsIndentation({ before: text, start, end }, replacement)) return refused('it breaks the indentation');
  const worse = await parsesWorse(target, after, { find, replacement });
  return worse ? refused(worse) : { ok: true, start, end, find, replace: replacement };
}

/** Models write line breaks in their own way, whatever the file's are. */
function inLineEnds(text: string, lineEnd = '\n'): string {
  return text.replace(/\r\n?|\n/g, lineEnd);
}

/** The text with all of the fixes that do not overlap, first come first; undefined if none is left. */
export function applyFixes(text: string, fixes: readonly Extract<JudgedFix, { ok: true }>[]): string | undefined {
  const taken: Extract<JudgedFix, { ok: true }>[] = [];
  for (const fix of fixes)
    if (taken.every((other) => fix.end <= other.start || other.end <= fix.start)) taken.push(fix);
  if (taken.length === 0) return undefined;
  return taken
    .sort((a, b) => b.start - a.start)
    .reduce((changed, { start, end, replace }) => changed.slice(0, start) + replace + changed.slice(end), text);
}

function refused(reason: string): JudgedFix {
  return { ok: false, reason };
}

/**
 * The lines that change begin as before: the first with the same blanks, every other with at least those that all of the
 * replaced lines begin with, made of the same characters.
 */
function keepsIndentation(
  { before, start, end }: { readonly before: string; readonly start: number; readonly end: number },
  replace: string,
): boolean {
  const lineStart = before.lastIndexOf('\n', start - 1) + 1;
  const lead = before.slice(lineStart, start);
  const oldLines = filled((lead + before.slice(start, end)).split('\n'));
  const newLines = filled((lead + replace).split('\n'));
  const [first] = oldLines;
  const [changed] = newLines;
  if (first === undefined || changed === undefined) return true;
  const common = oldLines.map(indentOf).reduce(sharedStart);
  if (indentOf(changed) !== indentOf(first)) return false;
  return newLines.every((line) => indentOf(line).startsWith(common) && !mixes(indentOf(line), oldLines));
}

function filled(lines: readonly string[]): string[] {
  return lines.filter((line) => line.trim() !== '');
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** Whether an indentation brings in tabs among blanks, or blanks among tabs. */
function mixes(indent: string, oldLines: readonly string[]): boolean {
  const used = oldLines.map(indentOf).join('');
  if (used === '') return false;
  return (indent.includes('\t') && !used.includes('\t')) || (indent.startsWith(' ') && !used.includes(' '));
}

async function parsesWorse(
  { language, text, countSyntaxErrors }: FixTarget,
  after: string,
  { find, replacement }: { readonly find: string; readonly replacement: string },
): Promise<string | undefined> {
  const [errorsBefore, errorsAfter] = await Promise.all([
    countSyntaxErrors(language, text),
    countSyntaxErrors(language, after),
  ]);
  if (errorsBefore !== undefined && errorsAfter !== undefined)
    return errorsAfter > errorsBefore ? 'the file would parse worse' : undefined;
  return balance(find) === balance(replacement) ? undefined : 'it would leave brackets unbalanced';
}

/** How many of each bracket stay open, as text to compare. */
function balance(text: string): string {
  return BRACKETS.map(([open = '', close = '']) => text.split(open).length - text.split(close).length).join();
}
