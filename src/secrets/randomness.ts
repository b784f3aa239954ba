/** Tells values that somebody drew or chose as secrets from names, words and references. */

/** Shorter values say nothing. */
const LEAST_PASSWORD = 6;
const LEAST_KEY = 12;
/** Bits a character, as Shannon counts them, that a drawn key has and a name rarely. */
const LEAST_KEY_ENTROPY = 3;

/** Words joined by `-`, `_`, `.`, `/` or by capitals, with at most a short number at the end of each: a name. */
const WORDS = /^[a-z]{2,}\d{0,3}(?:[-_./:][a-z]+\d{0,3}|[-_./:]\d{1,3})*$|^[A-Z]{2,}(?:[-_./:][A-Z]+|[-_./:]\d{1,3})*$/;
const CAMEL = /^[A-Za-z]?[a-z]{2,}(?:[A-Z][a-z]+|[A-Z]{2,4}(?![a-z]))+\d{0,3}$/;
const PASSWORD_SYMBOL = /[@#$%^&*!+?~](?=.*\w)/;

/** Base64 of something, as manifests of Kubernetes hold passwords. */
const PADDED = /^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/]{6,200}={1,2}$/;

/** Shannon entropy in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether a value reads as one or more words, as identifiers, paths and keys of translations do. */
export function isName(value: string): boolean {
  // A single word with digits behind it is as likely a bad password.
  return (WORDS.test(value) && /^[A-Za-z]+$|[-_./:]/.test(value)) || CAMEL.test(value);
}

/** Whether a value looks drawn at random, as keys and tokens are. */
export function looksRandom(value: string): boolean {
  if (value.length < LEAST_KEY || !/\d/.test(value) || !/[A-Za-z]/.test(value) || isName(value)) return false;
  return entropyOf(value) >= LEAST_KEY_ENTROPY;
}

/** Whether a value may be a password that a person chose: no word, no label, no name. */
export function looksChosen(value: string): boolean {
  if (value.length < LEAST_PASSWORD || isName(value) || /\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return /\d/.test(value) || PASSWORD_SYMBOL.test(value) || PADDED.test(value);
}

/** Whether Base64 holds `user:password`. */
export function isCredentialPair(value: string): boolean {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]{1,100}:[\x20-\x7e]{3,}$/.test(decoded);
}
