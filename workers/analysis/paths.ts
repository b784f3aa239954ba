/** Carries file names that are not valid UTF-8 through strings and JSON without loss. */

/** A byte that is not part of valid UTF-8 travels as one of these lone surrogates, as in Python's surrogateescape. */
const ESCAPED = /[\udc80-\udcff]/u;
const ESCAPE_BASE = 0xdc00;
const REPLACEMENT = '\ufffd';

/** A name as a string: itself where it is valid UTF-8, each stray byte as a lone surrogate elsewhere. */
export function decodePath(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes(REPLACEMENT) || Buffer.from(text).equals(bytes)) return text;
  let decoded = '';
  for (let at = 0; at < bytes.length; ) {
    const width = sequenceLength(bytes, at);
    decoded += width > 0 ? bytes.toString('utf8', at, at + width) : String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0));
    at += Math.max(width, 1);
  }
  return decoded;
}

/** What to hand to the file system: the string itself, or the bytes it stands for. */
export function encodePath(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  const parts = [...path].map((character) =>
    ESCAPED.test(character) ? Buffer.from([character.charCodeAt(0) - ESCAPE_BASE]) : Buffer.from(character),
  );
  return Buffer.concat(parts);
}

/** Where bytes beyond ASCII begin as characters: none of them is white space or anything else special there. */
const HIGH_BYTES = 0x1000;

/** A character for each byte, which is what git matches: `?` is half an umlaut, and any encoding of a name will do. */
export function bytewise(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  const bytes = encodePath(text);
  const raised = (character: string) => String.fromCharCode(HIGH_BYTES + character.charCodeAt(0));
  return (typeof bytes === 'string' ? Buffer.from(bytes) : bytes).toString('latin1').replace(/[\x80-\xff]/g, raised);
}

/** The path as it may be shown to people and sent over the wire: stray bytes become replacement characters. */
export function printablePath(path: string): string {
  return ESCAPED.test(path) ? path.replace(/[\udc80-\udcff]/gu, REPLACEMENT) : path;
}

const HIDDEN = /(?:^|\/)\./;

/** Whether a name on the way to a file begins with a dot. */
export function isHidden(path: string): boolean {
  return HIDDEN.test(path);
}

/** The part of a path after its last slash. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const slice = bytes.subarray(at, at + width);
  return slice.length === width && !slice.toString('utf8').includes(REPLACEMENT) ? width : 0;
}
