/** Knows a language by the name, the ending or the tool's word that a caller gave for it. */
import { languages } from './languages/index.js';

const KNOWN = new Map<string, string>();
for (const { name, extensions = '' } of [...languages].reverse())
  for (const key of [...extensions.split(' '), name]) if (key !== '') KNOWN.set(key.toLowerCase(), name);

/** The name of `languages` for what a caller calls it, such as `ts` or `typescript`; what nobody knows stays as it is. */
export function languageByName(given: string): string {
  return KNOWN.get(given.trim().toLowerCase().replace(/^\./, '')) ?? given;
}
