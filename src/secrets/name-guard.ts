/**
 * Tells the few names of files that hold a secret from the many that cannot, at a hundredth of what searching each takes: a
 * large tree has a hundred thousand.
 */
import { createHash } from 'node:crypto';
import type { NameGuard } from '../core/redaction.js';
import { findSecrets } from './find-secrets.js';
import { FORMAT_RULES } from './format-rules.js';
import { HEAD_CHARS, holdsText } from './wrapped.js';

/** As in values: a shorter text is no secret by itself. */
const LEAST_NAME = 16;
/** Formats of tokens have at least so many letters and digits in a row, of more than one kind. */
const LEAST_TOKEN = 16;
/** Base64 is looked into from this length on, and its head tells whether it is a text. */
const LEAST_CODE = 24;
/** A text of which more bytes than these are none of ASCII is not taken for one. */
const MOST_HIGH = 0.31;

const TOKEN = 1;
const CODE = 2;
const PLAIN = 4;
const UPPER = 8;
const LOWER = 16;
const DIGIT = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By character of ASCII: what it may be part of; 0 for what makes a name worth a search by itself, such as `=`, `:` or a blank. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));
/** By character: the six bits it stands for. */
const BITS = Uint8Array.from({ length: 128 }, (_, code) => bitsOf(String.fromCharCode(code)));
/** Of four characters in a row, the bit of each that is the highest of a byte. */
const HIGH_BITS = [0b100000, 0b001000, 0b000010, 0];

/** Creates a guard. */
export function createNameGuard(): NameGuard {
  const words = FORMAT_RULES.map(({ kind, pattern }) => `${kind} ${pattern.source}`).join('\n');
  return {
    rules: createHash('sha256').update(words).digest('base64url').slice(0, 16),
    holdsSecret: (name) => isWorthASearch(name) && findSecrets(name).length > 0,
  };
}

/** False only for a name in which no search finds anything. */
export function isWorthASearch(name: string): boolean {
  if (name.length < LEAST_NAME) return false;
  let isTokenLike = false;
  let token = 0;
  let tokenKinds = 0;
  let codeStart = 0;
  let high = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    const kind = code < 128 ? (KINDS[code] ?? 0) : 0;
    if (kind === 0) return true;
    token = kind & TOKEN ? token + 1 : 0;
    tokenKinds = kind & TOKEN ? tokenKinds | kind : 0;
    isTokenLike ||= token >= LEAST_TOKEN && isMixed(tokenKinds);
    if (kind & CODE) {
      const place = at - codeStart;
      if (place < HEAD_CHARS && (BITS[code] ?? 0) & (HIGH_BITS[place & 3] ?? 0)) high += 1;
    } else {
      if (isText(name, codeStart, at, high)) return true;
      codeStart = at + 1;
      high = 0;
    }
  }
  return isText(name, codeStart, name.length, high) || (isTokenLike && holdsToken(name));
}

/** Of each rule its keywords, and with which pair of characters each begins; of a single character no pair. */
const KEYWORDS = FORMAT_RULES.map(({ keywords, pattern }) => ({
  pattern,
  keywords: keywords.map((word) => ({ word, pair: word.length < 2 ? undefined : pairAt(word, 0) })),
}));
/** By pair, the last name in which it stood: most names hold no pair with which a keyword begins. */
const seenIn = new Uint32Array(128 * 128);
let names = 0;

/** The name is ASCII. */
function holdsToken(name: string): boolean {
  names = (names + 1) >>> 0;
  for (let at = 0; at + 1 < name.length; at += 1) seenIn[pairAt(name, at)] = names;
  return KEYWORDS.some(({ keywords, pattern }) => {
    const holds = keywords.some(
      ({ word, pair }) => (pair === undefined || seenIn[pair] === names) && name.includes(word),
    );
    return holds && name.search(pattern) >= 0;
  });
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

/** Whether a text stands in Base64 between two places of a name; nearly always the high bits alone say no. */
function isText(name: string, from: number, to: number, high: number): boolean {
  if (to - from < LEAST_CODE) return false;
  const bytes = Math.floor((Math.min(to - from, HEAD_CHARS) * 3) / 4);
  return high <= Math.ceil(MOST_HIGH * bytes) && holdsText(name.slice(from, to));
}

function isMixed(kinds: number): boolean {
  return Boolean(kinds & DIGIT) || Boolean(kinds & UPPER && kinds & LOWER);
}

function kindOf(character: string): number {
  if (/[A-Z]/.test(character)) return TOKEN | CODE | UPPER;
  if (/[a-z]/.test(character)) return TOKEN | CODE | LOWER;
  if (/\d/.test(character)) return TOKEN | CODE | DIGIT;
  if (/[_-]/.test(character)) return TOKEN | CODE | PLAIN;
  if (/[+/]/.test(character)) return CODE | PLAIN;
  return /[.@,~%]/.test(character) ? PLAIN : 0;
}

function bitsOf(character: string): number {
  const alike = character === '-' ? '+' : character === '_' ? '/' : character;
  return Math.max(0, ALPHABET.indexOf(alike));
}
