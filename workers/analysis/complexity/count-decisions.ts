/** Counts the decision points of a text from its tokens: no comment and no literal is looked into. */
import { NEWLINE } from '../lexer/bytes.js';
import type { Lexer } from '../lexer/compile.js';
import { countLines } from '../lexer/scan-lines.js';
import { createSpans } from '../lexer/spans.js';
import { type DecisionRules, decisionRulesOf } from './decision-rules.js';

/** A text in a buffer with room for one byte behind it. */
interface Text {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** What one pass over a text yields. */
export interface DecisionCount {
  readonly decisions: number;
  readonly lines: number;
  /** Whether the code holds a brace or a question mark, as any that is more than declarations does. */
  readonly hasBlocks: boolean;
}

/** Counts one text after another. */
export interface DecisionCounter {
  count(text: Text, language: string, lexer: Lexer): DecisionCount;
}

const WORD = 1;
const OPERATOR = 2;
const BLOCK = 3;
const DOT = 0x2e;
const QUESTION_MARK = 0x3f;
const BLOCK_BYTES = '{}?';
/** No word that decides is longer. */
const LONGEST_WORD = 16;
const WORD_BYTES = /[\w$]/;

interface Matcher {
  readonly classes: Uint8Array;
  readonly words: ReadonlySet<string>;
  /** By first byte: a bit for each length that a word may have, so that few are looked up. */
  readonly lengths: Uint32Array;
  /** By first byte, longest first. */
  readonly operators: ReadonlyMap<number, readonly Operator[]>;
  readonly ignoreCase: boolean;
  readonly tail: string;
  readonly closer: string | undefined;
}

interface Operator {
  readonly bytes: Uint8Array;
  readonly decides: boolean;
}

/** Creates a counter, which keeps its tables and its memory from text to text; time is linear in the bytes. */
export function createDecisionCounter(): DecisionCounter {
  const spans = createSpans();
  const matchers = new Map<DecisionRules, Matcher>();

  function matcherOf(rules: DecisionRules): Matcher {
    const seen = matchers.get(rules);
    if (seen) return seen;
    const matcher = compile(rules);
    matchers.set(rules, matcher);
    return matcher;
  }

  function count({ bytes, start, end }: Text, language: string, lexer: Lexer): DecisionCount {
    spans.clear();
    const { lines } = countLines(bytes, { start, end, spans }, lexer);
    const matcher = matcherOf(decisionRulesOf(language));
    if (matcher.words.size + matcher.operators.size === 0) return { decisions: 0, lines, hasBlocks: true };
    const found = { decisions: 0, hasBlocks: false };
    let from = start;
    for (let i = 0; i <= spans.count; i += 1) {
      const to = i < spans.count ? spans.start(i) : end;
      if (to > from) countStretch(bytes, { from, to }, { matcher, found });
      if (i < spans.count) from = Math.max(from, spans.end(i));
    }
    return { ...found, lines };
  }

  return { count };
}

interface Counting {
  readonly matcher: Matcher;
  readonly found: { decisions: number; hasBlocks: boolean };
}

/** The decisions in code that holds neither comment nor literal. */
function countStretch(
  bytes: Uint8Array,
  { from, to }: { from: number; to: number },
  { matcher, found }: Counting,
): void {
  const { classes, tail } = matcher;
  let decisions = 0;
  let closing = false;
  let at = from;
  while (at < to) {
    const kind = classes[bytes[at] ?? NEWLINE] ?? 0;
    if (kind === WORD) {
      const first = at;
      while (at < to && classes[bytes[at] ?? NEWLINE] === WORD) at += 1;
      if (tail !== '' && at < to && tail.includes(String.fromCharCode(bytes[at] ?? NEWLINE))) at += 1;
      const word = at - first <= LONGEST_WORD ? wordAt(bytes, { first, last: at }, matcher) : undefined;
      if (word !== undefined && word !== matcher.closer && !closing) decisions += 1;
      closing = word !== undefined && word === matcher.closer;
    } else if (kind === OPERATOR) {
      const operator = operatorAt(bytes, at, matcher);
      if (operator?.decides) decisions += 1;
      if (bytes[at] === QUESTION_MARK) found.hasBlocks = true;
      at += operator?.bytes.length ?? 1;
    } else {
      if (kind === BLOCK) found.hasBlocks = true;
      at += 1;
    }
  }
  found.decisions += decisions;
}

/** The word at a place if it is one of the rules'; that behind a dot is a member's name, such as `promise.catch`. */
function wordAt(
  bytes: Uint8Array,
  { first, last }: { first: number; last: number },
  matcher: Matcher,
): string | undefined {
  const { words, lengths, ignoreCase } = matcher;
  if (((lengths[bytes[first] ?? NEWLINE] ?? 0) & (1 << (last - first))) === 0) return undefined;
  if (bytes[first - 1] === DOT) return undefined;
  const text = String.fromCharCode(...bytes.subarray(first, last));
  const word = ignoreCase ? text.toLowerCase() : text;
  return words.has(word) ? word : undefined;
}

function operatorAt(bytes: Uint8Array, at: number, { operators }: Matcher): Operator | undefined {
  return operators
    .get(bytes[at] ?? NEWLINE)
    ?.find(({ bytes: mark }) => mark.every((byte, i) => bytes[at + i] === byte));
}

function compile(rules: DecisionRules): Matcher {
  const { words, operators, not = '', ignoreCase = false, within = '', tail = '', closer } = rules;
  const all = [...split(words), ...(closer === undefined ? [] : [closer])];
  const classes = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    if (byte >= 0x80 || WORD_BYTES.test(String.fromCharCode(byte))) classes[byte] = WORD;
  }
  for (const byte of Buffer.from(BLOCK_BYTES)) classes[byte] = BLOCK;
  for (const byte of Buffer.from(within)) classes[byte] = WORD;
  const lengths = new Uint32Array(256);
  for (const word of all) {
    for (const first of [word, ...(ignoreCase ? [word.toUpperCase()] : [])]) {
      const byte = first.charCodeAt(0);
      lengths[byte] = (lengths[byte] ?? 0) | (1 << word.length);
    }
  }
  const table = new Map<number, Operator[]>();
  const marks = [...split(operators).map(operator(true)), ...split(not).map(operator(false))];
  for (const mark of marks.sort((a, b) => b.bytes.length - a.bytes.length)) {
    const first = mark.bytes[0] ?? NEWLINE;
    table.set(first, [...(table.get(first) ?? []), mark]);
    classes[first] = OPERATOR;
  }
  return { classes, words: new Set(all), lengths, operators: table, ignoreCase, tail, closer };
}

function operator(decides: boolean): (mark: string) => Operator {
  return (mark) => ({ bytes: Buffer.from(mark), decides });
}

function split(list: string): string[] {
  return list.split(' ').filter((word) => word !== '');
}
