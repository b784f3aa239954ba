/** What is compared and how: the terms that all threads of one measurement share. Plain data. */
import type { Normalize } from './tokens.js';

/** The terms of one measurement. */
export interface Comparison {
  readonly root: string;
  /** The least size of a clone. */
  readonly minTokens: number;
  /** The least number of lines of a clone, on either side, that hold some of its tokens. */
  readonly minLines: number;
  readonly normalize: Normalize;
  /** Larger files are skipped. */
  readonly maxFileBytes: number;
  /** How many tokens a thread keeps of files that it may compare again, eight bytes each; one file alone may have more. */
  readonly mostKept: number;
}

/**
 * Languages whose files are no code, so that equal stretches of them are no clones: prose, tables, pictures, checksums,
 * catalogues of translations, and notebooks, whose cells stand in JSON.
 */
const NOT_COMPARED = new Set([
  'Other',
  'Plain Text',
  'CSV',
  'TSV',
  'SVG',
  'JSON',
  'Go Checksums',
  'Gettext',
  'Jupyter Notebook',
]);

/** Headers hold the code of the language they are for; `.h` may be for any of these. */
const C_FAMILY = 'C and C++';
const COMPARED_AS = new Map(
  ['C', 'C Header', 'C++', 'C++ Header', 'C++ Module', 'Objective-C', 'Objective-C Header', 'Objective-C++'].map(
    (language) => [language, C_FAMILY],
  ),
);

/** The name under which files of a language are compared with each other; undefined for what is not compared. */
export function comparedAs(language: string): string | undefined {
  return NOT_COMPARED.has(language) ? undefined : (COMPARED_AS.get(language) ?? language);
}
