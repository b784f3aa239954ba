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
  const { begin, end, texts } = markAll(seed, label, [text]);
  return { text: texts.join('\n'), begin, end };
}

/** As `markData`, several texts between delimiters of one kind. */
export function markAll(
  seed: string,
  label: string,
  texts: readonly string[],
): { readonly texts: readonly string[]; readonly begin: string; readonly end: string } {
  let secret = fingerprint(`${seed} ${label}`);
  while (texts.some((text) => text.includes(secret))) secret = fingerprint(secret);
  const begin = `<<<${label} ${secret}`;
  const end = `${label} ${secret}>>>`;
  return { texts: texts.map((text) => `${begin}\n${text}\n${end}`), begin, end };
}
