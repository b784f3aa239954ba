/** Brings the bytes of a text file into the form the scanner reads, and tells text from binary. */

/** As git does, only the first part of a file is searched for NUL bytes. */
const PROBE_BYTES = 8192;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A text as a range within a buffer that has room for one byte behind it. */
export interface TextRange {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * The text in the first `length` bytes of a buffer, its byte order mark taken off, UTF-16 decoded and lone carriage returns
 * made line ends where the text has such; undefined for a binary.
 */
export function decodeText(buffer: Buffer, length: number): TextRange | undefined {
  const mark = markOf(buffer, length);
  if (mark === 'little-endian') return decodeUtf16(buffer.subarray(0, length));
  if (mark === 'big-endian') return decodeUtf16(Buffer.from(buffer.subarray(0, length & ~1)).swap16());
  if (holdsNul(buffer, length)) return undefined;
  const start = length >= 3 && buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0;
  return withLineEnds({ bytes: buffer, start, end: length });
}

/** Whether the head of a file, longer than what is searched of it, says that the whole is a binary. */
export function isBinaryHead(head: Buffer): boolean {
  return markOf(head, head.length) === undefined && holdsNul(head, head.length);
}

/** The byte order of UTF-16. */
function markOf(buffer: Buffer, length: number): 'little-endian' | 'big-endian' | undefined {
  if (length < 2) return undefined;
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return 'little-endian';
  return buffer[0] === 0xfe && buffer[1] === 0xff ? 'big-endian' : undefined;
}

function holdsNul(buffer: Buffer, length: number): boolean {
  return buffer.subarray(0, Math.min(length, PROBE_BYTES)).includes(0);
}

/**
 * A text whose first line ends with a lone carriage return is of the kind that knows no other line end: there each one
 * counts. In all others a stray return is white space, as it is to git and `wc`.
 */
function withLineEnds(text: TextRange): TextRange {
  const { bytes, start, end } = text;
  let first = start;
  while (first < end && bytes[first] !== NEWLINE && bytes[first] !== RETURN) first += 1;
  if (first === end || bytes[first] === NEWLINE || precedesNewline(text, first)) return text;
  for (let at = first; at < end; at += 1) {
    if (bytes[at] === RETURN && (at + 1 === end || bytes[at + 1] !== NEWLINE)) bytes[at] = NEWLINE;
  }
  return text;
}

/** Whether the return is that of a CRLF pair, or of one that was converted twice. */
function precedesNewline({ bytes, end }: TextRange, first: number): boolean {
  let at = first;
  while (at < end && bytes[at] === RETURN) at += 1;
  return at < end && bytes[at] === NEWLINE;
}

function decodeUtf16(bytes: Buffer): TextRange {
  const text = bytes.toString('utf16le', 2);
  const decoded = Buffer.alloc(Buffer.byteLength(text) + 1);
  return withLineEnds({ bytes: decoded, start: 0, end: decoded.write(text) });
}
