/** Counts a text with the scanner of bytes and with that of SIMD blocks, which must never differ. */
import { countText } from '../../../workers/analysis/count-text.js';
import type { TextRange } from '../../../workers/analysis/decode.js';
import type { Lexers } from '../../../workers/analysis/embedded.js';
import type { Language } from '../../../workers/analysis/languages/language.js';
import type { LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { createTextMemory, scannerOf } from '../../../workers/analysis/lexer/text-memory.js';

const memory = createTextMemory();

/** What both make of the text; throws where they differ, and where there is only one of them. */
export function countByBoth(text: TextRange, language: Language, lexers: Lexers): LineCounts {
  const copy = inTextMemory(text);
  const [byBytes, byBlocks] = [countText(text, language, lexers), countText(copy, language, lexers)];
  const [wanted, seen] = [JSON.stringify(byBytes), JSON.stringify(byBlocks)];
  if (wanted !== seen) throw new Error(`As ${language.name} bytes give ${wanted}, SIMD blocks give ${seen}.`);
  return byBytes;
}

/** The same bytes at the same places of memory that the SIMD scanner reads, with what stands behind the text. */
function inTextMemory({ bytes, start, end }: TextRange): TextRange {
  const copy = memory.room(bytes.length);
  bytes.copy(copy);
  if (scannerOf(copy) === undefined) throw new Error('The SIMD scanner is missing: run `npm run build`.');
  return { bytes: copy, start, end };
}
