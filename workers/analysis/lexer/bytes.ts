/** Elementary looks at bytes, shared by all readers of tokens. */

/** The byte that ends a line; a class of bytes has numbers of its own. */
export const NEWLINE = 0x0a;

/** Whether `mark` stands at `at`; the newline behind the last byte stops every comparison. */
export function standsAt(bytes: Uint8Array, at: number, mark: Uint8Array): boolean {
  for (let i = 0; i < mark.length; i += 1) if (bytes[at + i] !== mark[i]) return false;
  return true;
}

/** The same, with ASCII letters compared regardless of case. */
export function standsAtIgnoringCase(bytes: Uint8Array, at: number, mark: Uint8Array): boolean {
  for (let i = 0; i < mark.length; i += 1) if (lower(bytes[at + i]) !== lower(mark[i])) return false;
  return true;
}

/** The offset of the newline that ends the line of `at`; the end of the buffer if it lies past the last one. */
export function endOfLine(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  let i = at;
  while (i < length && bytes[i] !== NEWLINE) i += 1;
  return i;
}

/** White space other than a newline. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0b || byte === 0x0c;
}

/** Letters, digits, underscore and every byte outside ASCII. */
export function isWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte >= 0x80;
}

/** The first offset from `at` on that holds no white space; may be a newline. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  while (isSpace(bytes[i])) i += 1;
  return i;
}

function lower(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte;
}
