/** Counts text with the scanners alone, without files, threads or skips. */
import { decodeText } from '../../../workers/analysis/decode.js';
import { detectLanguage } from '../../../workers/analysis/detect.js';
import { createLexers } from '../../../workers/analysis/embedded.js';
import type { LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { countByBoth } from './both-scanners.js';

/** What a text counts as under a file name. */
export interface Measured extends LineCounts {
  readonly language: string;
}

const lexers = createLexers();

/** Measures a text as if it stood in a file of that name; throws for a binary one. */
export function measure(name: string, content: string | Buffer): Measured {
  const text = Buffer.from(content);
  const padded = Buffer.concat([text, Buffer.alloc(1)]);
  const range = decodeText(padded, text.length);
  if (range === undefined) throw new Error(`${name} is binary`);
  const language = detectLanguage(name, range.bytes.subarray(range.start, range.end));
  return { language: language.name, ...countByBoth(range, language, lexers) };
}

/** Code, comments and blanks, as the ground truth writes them. */
export function figures({ code, comments, blanks }: Omit<LineCounts, 'lines' | 'embedded'>): string {
  return `${code}/${comments}/${blanks}`;
}
