/** Sums up compared and duplicated lines by language. */
import { compareText } from '../counts.js';
import type { LanguageTokens } from './thread-work.js';

/** How much was compared, and how much of it is duplicated. */
export interface DuplicationCounts {
  readonly files: number;
  /** Lines that hold at least one token: neither blank nor comment. */
  readonly codeLines: number;
  readonly tokens: number;
  /** Those of the lines that hold a token of a clone, on whichever side. */
  readonly duplicatedLines: number;
  /** Of 100 code lines, to two decimals; 0 where there are none. */
  readonly percentage: number;
}

/** The figures of the files of one language. */
export interface LanguageDuplication extends DuplicationCounts {
  readonly language: string;
}

/** A growing table. */
export interface LanguageTable {
  add(rows: readonly LanguageTokens[]): void;
  /** By file: the name of its language; undefined for one that was not compared. */
  languageOf(file: number): string | undefined;
  /** With the duplicated lines of each file: most duplicated lines first, then by name. */
  result(duplicatedLines: Uint32Array): {
    readonly totals: DuplicationCounts;
    readonly byLanguage: readonly LanguageDuplication[];
  };
}

interface Row {
  readonly language: string;
  files: number;
  codeLines: number;
  tokens: number;
  duplicatedLines: number;
}

const NONE = 0;

/** Creates a table for so many files. */
export function createLanguageTable(files: number): LanguageTable {
  const rows: Row[] = [];
  const numbers = new Map<string, number>();
  /** By file: the number of its row, from 1. */
  const rowOf = new Uint16Array(files);

  function add(languages: readonly LanguageTokens[]): void {
    for (const { language, files: members, codeLines, tokens } of languages) {
      const number = numbers.get(language) ?? rows.push(empty(language));
      numbers.set(language, number);
      for (const file of members) rowOf[file] = number;
      const row = rows[number - 1];
      if (row === undefined) continue;
      row.files += members.length;
      row.codeLines += codeLines;
      row.tokens += tokens;
    }
  }

  function result(duplicatedLines: Uint32Array) {
    for (const row of rows) row.duplicatedLines = 0;
    duplicatedLines.forEach((lines, file) => {
      const row = rows[(rowOf[file] ?? NONE) - 1];
      if (row !== undefined) row.duplicatedLines += lines;
    });
    const byLanguage = rows.map((row) => ({ ...row, percentage: percentage(row) }));
    byLanguage.sort((a, b) => b.duplicatedLines - a.duplicatedLines || compareText(a.language, b.language));
    return { totals: sumUp(rows), byLanguage };
  }

  return { add, languageOf: (file) => rows[(rowOf[file] ?? NONE) - 1]?.language, result };
}

function empty(language: string): Row {
  return { language, files: 0, codeLines: 0, tokens: 0, duplicatedLines: 0 };
}

function sumUp(rows: readonly Row[]): DuplicationCounts {
  const { language: _, ...sum } = empty('');
  for (const row of rows) {
    sum.files += row.files;
    sum.codeLines += row.codeLines;
    sum.tokens += row.tokens;
    sum.duplicatedLines += row.duplicatedLines;
  }
  return { ...sum, percentage: percentage(sum) };
}

function percentage({ codeLines, duplicatedLines }: Omit<DuplicationCounts, 'percentage'>): number {
  return codeLines === 0 ? 0 : Math.round((10_000 * duplicatedLines) / codeLines) / 100;
}
