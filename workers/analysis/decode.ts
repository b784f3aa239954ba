/** Brings the bytes of a text file into the form the scanner reads, and tells text from binary. */

/** As git does, only the first part of a file is searched for NUL bytes. */
const PROBE_BYTES = 8192;

/** A text as a range within a buffer that has room for one byte behind it. */
export interface TextRange {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The text in the first `length` bytes of a buffer, its byte order mark taken off and UTF-16 decoded; undefined for a binary. */
export function decodeText(buffer: Buffer, length: number): TextRange | undefined {
  const [first, second, third] = buffer;
  const marked = length >= 2 && first !== undefined && second !== undefined;
  if (marked && first === 0xff && second === 0xfe) return decodeUtf16(buffer.subarray(0, length));
  if (marked && first === 0xfe && second === 0xff)
    return decodeUtf16(Buffer.from(buffer.subarray(0, length & ~1)).swap16());
  if (buffer.subarray(0, Math.min(length, PROBE_BYTES)).includes(0)) return undefined;
  const start = length >= 3 && first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  return { bytes: buffer, start, end: length };
}

function decodeUtf16(bytes: Buffer): TextRange {
  const text = bytes.toString('utf16le', 2);
  const decoded = Buffer.alloc(Buffer.byteLength(text) + 1);
  return { bytes: decoded, start: 0, end: decoded.write(text) };
}
