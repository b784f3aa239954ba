/** What is wrong with the text of a file, and where in it. */

/** A fault of a format; lines and columns count from one. */
export class FormatFault extends Error {
  override readonly name = 'FormatFault';
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, place: { line?: number | undefined; column?: number | undefined } = {}) {
    super(message);
    this.line = place.line;
    this.column = place.column;
  }
}

/** The line and column of an offset, both from one. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
