/** Reviewed text as numbered lines: a whole file, or of a diff the lines that its hunks show. */

/** One line; the number is that of the file, from 1. */
export interface SourceLine {
  readonly number: number;
  readonly text: string;
  /** In a diff, whether the line is new; only such lines are reviewed. */
  readonly added?: boolean;
}

/** A file under review. */
export interface Source {
  /** As it is told to model and caller; `code` for text that came without a name. */
  readonly path: string;
  readonly language: string;
  readonly lines: readonly SourceLine[];
  /** How its lines end; absent if that is not known, or not the same for all. */
  readonly lineEnd?: string;
}

/** The path of code that came without one. */
export const UNNAMED = 'code';

/** The lines of a text; a line break at its end begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** A whole file as a source. */
export function sourceOf(path: string, language: string, text: string): Source {
  const ends = new Set(text.match(/\r\n|\n|\r/g) ?? ['\n']);
  const [lineEnd] = ends.size === 1 ? ends : [];
  return {
    path,
    language,
    lines: linesOf(text).map((line, index) => ({ number: index + 1, text: line })),
    ...(lineEnd !== undefined && { lineEnd }),
  };
}

/** The text of a source, line by line, without a line break at its end. */
export function textOf({ lines, lineEnd = '\n' }: Pick<Source, 'lines' | 'lineEnd'>): string {
  return lines.map(({ text }) => text).join(lineEnd);
}

/** Every line with its number before it, `12 | text`, and `12 + text` where a diff adds it; numbers are as wide as the last. */
export function numbered(lines: readonly SourceLine[]): string {
  const width = String(lines.at(-1)?.number ?? 1).length;
  const row = ({ number, text, added }: SourceLine, index: number) => {
    const previous = lines[index - 1]?.number ?? number - 1;
    const gap = number === previous + 1 ? '' : `${' '.repeat(width)} |\n`;
    return `${gap}${String(number).padStart(width)} ${added ? '+' : '|'} ${text}`;
  };
  return lines.map(row).join('\n');
}
