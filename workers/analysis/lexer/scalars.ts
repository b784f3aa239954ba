/** Reads YAML's literal and folded scalars: text told from structure by indentation alone (YAML 1.2.2, section 8.1). */
import { isSpace, NEWLINE, skipSpace } from './bytes.js';
import { CODE, lastIndented, type Scan, takeLines } from './scan-state.js';

/** Notes that the next line begins a scalar; false when the mark is part of plain text. */
export function announceScalar(scan: Scan): boolean {
  const { bytes, at, lineStart } = scan;
  let before = at - 1;
  while (before >= lineStart && isSpace(bytes[before])) before -= 1;
  const introduced = before < at - 1 && before >= lineStart && (bytes[before] === 0x3a || bytes[before] === 0x2d);
  if (!introduced || !headerEnds(bytes, at + 1)) return false;
  scan.announced = true;
  scan.scalar = parentColumn(scan);
  scan.line |= CODE;
  scan.at = at + 1;
  return true;
}

/** Reads the lines of the announced scalar as code; blank lines at its end are left to be blank. */
export function readScalar(scan: Scan): void {
  const last = lastIndented(scan, scan.lineStart, scan.scalar);
  scan.scalar = -1;
  takeLines(scan, last, CODE);
}

/** After the mark come at most an indentation digit and a chomping sign, then nothing or a comment. */
function headerEnds(bytes: Uint8Array, from: number): boolean {
  let at = from;
  while (at - from < 2 && isHeader(bytes[at])) at += 1;
  const text = skipSpace(bytes, at);
  return bytes[text] === NEWLINE || (bytes[text] === 0x23 && text > at);
}

function isHeader(byte: number | undefined): boolean {
  return byte === 0x2b || byte === 0x2d || (byte !== undefined && byte >= 0x31 && byte <= 0x39);
}

/** The column of the key or dash that owns the scalar; `- key: |` is owned by its key, `- |` by its dash. */
function parentColumn({ bytes, at, lineStart }: Scan): number {
  let column = skipSpace(bytes, lineStart);
  let owner = column;
  while (column < at && bytes[column] === 0x2d && isSpace(bytes[column + 1])) {
    owner = column;
    column = skipSpace(bytes, column + 1);
  }
  return (column === at ? owner : column) - lineStart;
}
