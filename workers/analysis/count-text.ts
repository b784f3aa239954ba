/** Counts a decoded text in the form its language has: most are read as they stand, notebooks cell by cell. */
import type { TextRange } from './decode.js';
import type { Lexers } from './embedded.js';
import type { Language } from './languages/language.js';
import { countLines, type LineCounts } from './lexer/scan-lines.js';
import { countNotebook } from './notebook.js';

/** The lines of a text; a notebook that is none is counted as it stands. */
export function countText(text: TextRange, language: Language, lexers: Lexers): LineCounts {
  const cells = language.name === 'Jupyter Notebook' ? countNotebook(text, lexers) : undefined;
  return cells ?? countLines(text.bytes, text, lexers.of(language));
}
