/** Puts text of others into a prompt so that it cannot pass for the prompt: between delimiters nobody can foresee. */
import { fingerprint } from '../../src/core/ids.js';

/** Text between delimiters, and what the prompt calls them. */
export interface MarkedData {
  /** The text with a delimiter line before and after it. */
  readonly text: string;
  /** The lines the text stands between, as the prompt's rules name them. */
  readonly begin: string;
  readonly end: string;
}

/**
 * Marks text as data. `seed` names the question by its job's id, 130 random bits made after the text was sent, and its
 * key: the text's author cannot know the delimiter, nor can the answer to an earlier question give it away, and yet a
 * handler that runs again asks the same question, as it must.
 */
export function markData(seed: string, label: string, text: string): MarkedData {
  let secret = fingerprint(`${seed} ${label}`);
  while (text.includes(secret)) secret = fingerprint(secret);
  const begin = `<<<${label} ${secret}`;
  const end = `${label} ${secret}>>>`;
  return { text: `${begin}\n${text}\n${end}`, begin, end };
}

/** The lines of a text; a line break at its end begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Every line with its number before it, `12 | text`; the numbers are as wide as the last. */
export function numberLines(text: string): string {
  const lines = linesOf(text);
  const width = String(lines.length).length;
  return lines.map((line, index) => `${String(index + 1).padStart(width)} | ${line}`).join('\n');
}
