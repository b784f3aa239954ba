/**
 * Finds secrets without a shape by the name they are given: `db_password = "…"`, `"apiKey": "…"`, `--token …`,
 * `<password>…</password>`, in whatever language, and settings of an environment.
 */
import { isPlaceholder } from './placeholder-values.js';
import { entropyOf, isName, looksChosen, looksRandom } from './randomness.js';
import type { Span } from './span.js';

/** What a telling name ends with; the part before it may be anything. */
const NAME =
  /(?<password>pass(?:word|wd|phrase|code)|pwd|(?<![a-z])pass(?![a-z])|(?<=_)pw(?![a-z]))|secret|token|credential|(?:api|access|account|admin|app|auth|client|encryption|license|master|private|service|shared|signing|storage|webhook|deploy)[_ -]?key/gi;
/** What may stand between that and the end of the name; with anything else it names another thing, such as `token_url`. */
const TAIL =
  /^s?(?:[_-]?(?:\d{1,3}|old|new|prod|production|dev|test|staging|live|primary|secondary|base64|b64|hex|value|key|default|base))*$/i;
const TAIL_CHARS = /[\w-]{0,40}/y;
/** Quotes and brackets that close the name, then how a value is given to it. */
const OPERATOR = new RegExp(
  [
    String.raw`(?<close>\\{0,3}["'\x60]?\]?[ \t]{0,20})(?:`,
    String.raw`(?<typed>:[ \t]{0,4}[A-Za-z_&'][\w<>&\[\]. '|]{0,40}?[ \t]{0,4}=(?![=>])|[ \t](?:string|String)[ \t]{0,4}=)`,
    String.raw`|(?<attribute>(?<=["'][ \t]{1,20})(?:value|content)[ \t]{0,4}=)`,
    String.raw`|(?<given>={1,3}>?|!={1,2}|:=|\?\?=|\|\|=|\?=|:(?![:/]))`,
    String.raw`|(?<call>\()|(?<comma>(?<=["'][ \t]{0,20}),)|(?<element>>))`,
    String.raw`(?<gap>[ \t]{0,20}(?:\r?\n[ \t]{0,60}(?=["'\x60]))?)`,
    String.raw`(?<quote>[bBrRuUfFL@$]{0,2}(?:\\{0,3}["'\x60]{1,3}))?`,
  ].join(''),
  'y',
);
const FLAG_VALUE = /[ \t]{1,4}["']?(?<value>[^\s"'`]{6,200})/y;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\.){0,1024}/y,
  "'": /(?:[^'\\\r\n]|\\.){0,1024}/y,
  '`': /(?:[^`\\\r\n]|\\.){0,1024}/y,
};
/** Within a string of another language the value ends at the next escaped quote, or with the line. */
const ESCAPED = /[^"'`\\\r\n]{0,1024}/y;
const CONFIG_VALUE = /[^\s"'`\\]{6,256}/y;
const UNQUOTED = /[^\s"'`<>(){}[\],;|&=\\]{0,256}={0,2}(?![^\s"'`<>(){}[\],;|&=\\])/y;
const ENVIRONMENT_VALUE = /[^\s"'`\\#;&|<>()]{6,256}/y;
// A diff marks its lines, and reviewed code is numbered: `+NAME=value`, `12 | NAME=value`.
const ENVIRONMENT_LINE =
  /(?:^|\n|\\n)(?:[ \t]*\d{1,7} [|+]|[+-])?[ \t]*(?:export |set |ENV |ARG |- |-e |--env |--build-arg )?["']?[A-Z0-9_]{0,60}$/;
const CONFIG_LINE = /(?:^|\n|\\n)(?:[ \t]*\d{1,7} [|+]|\+)?[ \t-]*["']?[\w.-]{0,60}$/;
const LINE_END = /[ \t]*(?:#.*|\/\/.*)?(?=\r?\n|\\n|\\r|$)/y;

/** One telling name and where its value may begin. */
interface Named {
  readonly text: string;
  /** Where the keyword begins and the whole name ends. */
  readonly start: number;
  readonly end: number;
  readonly isPassword: boolean;
}

/** Finds the values. Every name is looked at once, with bounded sight. */
export function findAssignments(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(NAME)) {
    const tailAt = match.index + match[0].length;
    const tail = stick(TAIL_CHARS, text, tailAt)?.[0] ?? '';
    if (!TAIL.test(tail)) continue;
    const isPassword = match.groups?.password !== undefined;
    const named = { text, start: match.index, end: tailAt + tail.length, isPassword };
    const value = valueAt(named);
    if (value) spans.push({ ...value, kind: isPassword ? 'password' : 'generic_key' });
  }
  return spans;
}

function valueAt(named: Named): Omit<Span, 'kind'> | undefined {
  const { text, end } = named;
  const operator = stick(OPERATOR, text, end);
  if (!operator?.groups) return isFlag(named) ? flagValue(named) : undefined;
  const { quote, element, given, gap, close = '' } = operator.groups;
  const from = end + operator[0].length;
  if (element !== undefined) return elementValue(named, from);
  if (quote !== undefined) return quotedValue(named, { from, quote, isFar: isFar(operator.groups) });
  if (given === undefined || gap?.includes('\n') || close.includes(']')) return undefined;
  if (given === '=' && gap === '' && isEnvironment(named)) return environmentValue(named, from);
  return unquotedValue(named, from);
}

/** An argument of a call may be a label as well as a value. */
function isFar(groups: Readonly<Record<string, string | undefined>>): boolean {
  return groups.call !== undefined || groups.comma !== undefined;
}

function quotedValue(
  named: Named,
  at: { from: number; quote: string; isFar: boolean },
): Omit<Span, 'kind'> | undefined {
  const { text, isPassword } = named;
  const isEscaped = at.quote.includes('\\');
  const mark = at.quote.slice(-1);
  const value = stick(isEscaped ? ESCAPED : (QUOTED[mark] ?? ESCAPED), text, at.from)?.[0] ?? '';
  const end = at.from + value.length;
  const closing = text.charAt(end);
  if (closing !== mark && !(isEscaped && closing === '\\')) return undefined;
  const fits = isPassword && !at.isFar ? looksChosen(value) : looksRandom(value);
  return fits && !/\s/.test(value) && !isPlaceholder(value) ? { start: at.from, end } : undefined;
}

function isEnvironment({ text, start }: Named): boolean {
  return (
    ENVIRONMENT_LINE.test(text.slice(Math.max(0, start - 100), start)) &&
    /^[A-Z0-9_]+$/.test(text.slice(start, start + 4))
  );
}

/** Whatever a setting that is named so holds, if it is not plainly something else. */
function environmentValue({ text, isPassword }: Named, from: number): Omit<Span, 'kind'> | undefined {
  const value = stick(ENVIRONMENT_VALUE, text, from)?.[0] ?? '';
  const fits = isPassword ? value.length >= 6 : value.length >= 8;
  if (!fits || isPlaceholder(value) || /^[\d.,]+$/.test(value) || (isName(value) && !isPassword)) return undefined;
  return { start: from, end: from + value.length };
}

/** As settings files give values; in code an unquoted value is an expression, so little is taken for a secret. */
function unquotedValue(named: Named, from: number): Omit<Span, 'kind'> | undefined {
  const { text, isPassword, start } = named;
  const before = text.slice(Math.max(0, start - 100), start);
  if (isPassword && CONFIG_LINE.test(before)) {
    const value = stick(CONFIG_VALUE, text, from)?.[0] ?? '';
    const isWhole = stick(LINE_END, text, from + value.length) !== undefined && !/[([{]|[,;]$/.test(value);
    if (isWhole && looksChosen(value)) return unlessNamed(value, from);
  }
  const value = stick(UNQUOTED, text, from)?.[0] ?? '';
  // In a query or a connection string the next parameter follows.
  const isParameter = /[?&;][\w-]*$/.test(before) && /[&;"'\s]|^$/.test(text.charAt(from + value.length));
  if (isPassword) return isParameter && looksChosen(value) ? unlessNamed(value, from) : undefined;
  return looksRandom(value) && entropyOf(value) >= 3.3 && value.length >= 16 ? unlessNamed(value, from) : undefined;
}

function unlessNamed(value: string, start: number): Omit<Span, 'kind'> | undefined {
  return isPlaceholder(value) || isExpression(value) ? undefined : { start, end: start + value.length };
}

/** A variable, a member or an index of one; names of variables for secrets say so. */
function isExpression(value: string): boolean {
  if (/^[A-Za-z_$][\w$]*(?:[.:?!]+[A-Za-z_$][\w$]*)+[?!]*$/.test(value)) return true;
  return (
    /^[A-Za-z_$][\w$.]*$/.test(value) &&
    /pass|token|secret|key|user|value|param|arg|input|field|config|data|^self|^this/i.test(value)
  );
}

function elementValue({ text, isPassword }: Named, from: number): Omit<Span, 'kind'> | undefined {
  const value = /^[^\s<>]{6,300}(?=<\/)/.exec(text.slice(from, from + 303))?.[0] ?? '';
  const fits = isPassword ? looksChosen(value) : looksRandom(value);
  return fits && !isPlaceholder(value) ? { start: from, end: from + value.length } : undefined;
}

function isFlag({ text, start }: Named): boolean {
  return /(?:^|[\s"'])--?[a-z0-9-]{0,40}$/.test(text.slice(Math.max(0, start - 44), start));
}

function flagValue({ text, end, isPassword }: Named): Omit<Span, 'kind'> | undefined {
  const value = stick(FLAG_VALUE, text, end)?.groups?.value ?? '';
  const fits = isPassword ? looksChosen(value) : looksRandom(value);
  if (!fits || isPlaceholder(value)) return undefined;
  const start = text.indexOf(value, end);
  return { start, end: start + value.length };
}

function stick(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
