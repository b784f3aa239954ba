/** Parses JSON (RFC 8259); a fault has its place, which the platform's own parser mostly leaves out. */
import { FormatFault, placeAt } from './fault.js';

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or }' | ', or ]' | 'the end';

/** One token behind white space: punctuation, a string, or a number or word. Strings are matched without backtracking. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\.[^"\\\u0000-\u001f]*)*")|(-?\d[\d.eE+-]*|true|false|null))/y;
const BLANK = /[ \t\r\n]*/y;

/** Parses a document; throws a `FormatFault` with line and column. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { offset, expected } = findFault(text);
    const found = offset < text.length ? JSON.stringify(text[offset]) : 'the end of the file';
    throw new FormatFault(`This is not JSON: expected ${expected}, found ${found}.`, placeAt(text, offset));
  }
}

/** Walks the tokens of a text that is not JSON to the first that cannot stand where it is. */
function findFault(text: string): { offset: number; expected: string } {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    BLANK.exec(text);
    const offset = BLANK.lastIndex;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return { offset, expected };
    const next = step(expected, match[1] ?? (match[2] === undefined ? 'word' : 'string'), open);
    if (next === undefined) return { offset, expected };
    expected = next;
    at = TOKEN.lastIndex;
  }
}

/** What is expected after a token; undefined where it cannot stand. */
function step(expected: Expected, token: string, open: string[]): Expected | undefined {
  if (expected === 'value' || expected === 'value or ]') {
    if (token === ']' && expected === 'value or ]') return close(open);
    return startValue(token, open);
  }
  if (expected === 'key' || expected === 'key or }') {
    if (token === '}' && expected === 'key or }') return close(open);
    return token === 'string' ? ':' : undefined;
  }
  if (expected === ':') return token === ':' ? 'value' : undefined;
  if (expected === ', or }') return token === ',' ? 'key' : token === '}' ? close(open) : undefined;
  if (expected === ', or ]') return token === ',' ? 'value' : token === ']' ? close(open) : undefined;
  return undefined;
}

function startValue(token: string, open: string[]): Expected | undefined {
  if (token === 'string' || token === 'word') return afterValue(open);
  if (token !== '{' && token !== '[') return undefined;
  open.push(token);
  return token === '{' ? 'key or }' : 'value or ]';
}

function close(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  const inner = open.at(-1);
  if (inner === undefined) return 'the end';
  return inner === '{' ? ', or }' : ', or ]';
}
