/** Finds whether a line of a text opens with one of some words: one look at each byte, however many words there are. */

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** White space of Latin-1, as patterns know it. */
const BLANK = new Set([0x09, LINE_FEED, 0x0b, 0x0c, CARRIAGE_RETURN, 0x20, 0xa0]);
const WIDTH = 256;
/** What a step leads to besides nodes: nowhere, and the end of a word. */
const NOWHERE = 0;
const FOUND = 0xffff;
/** The node at which a line begins; white space leads back to it. */
const START = 1;

/** Says whether a line opens with a known word, white space before it left aside. */
export type LineOpenings = (bytes: Uint8Array, end: number) => boolean;

/** Compiles words of Latin-1 that hold no line end. */
export function compileLineOpenings(words: readonly string[]): LineOpenings {
  const steps = stepsOf(words);
  return (bytes, end) => {
    const length = Math.min(end, bytes.length);
    for (let at = 0; at < length; at += 1) {
      let node = START;
      for (; at < length && node !== NOWHERE; at += 1) {
        node = steps[node * WIDTH + (bytes[at] ?? 0)] ?? NOWHERE;
        if (node === FOUND) return true;
      }
      at = endOfLine(bytes, at - 1, length);
    }
    return false;
  };
}

/** Where the line ends that holds this byte; it may be the end itself. */
function endOfLine(bytes: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length && bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) at += 1;
  return at;
}

/** By node and byte, the next node. */
function stepsOf(words: readonly string[]): Uint16Array {
  const nodes = 2 + words.reduce((sum, word) => sum + word.length, 0);
  const steps = new Uint16Array(nodes * WIDTH);
  for (const byte of BLANK) steps[START * WIDTH + byte] = START;
  let last = START;
  for (const word of words) {
    let node = START;
    for (const byte of Buffer.from(word, 'latin1').subarray(0, -1)) {
      const step = node * WIDTH + byte;
      if (steps[step] === NOWHERE) steps[step] = ++last;
      node = steps[step] ?? NOWHERE;
      if (node === FOUND) break;
    }
    if (node !== FOUND) steps[node * WIDTH + word.charCodeAt(word.length - 1)] = FOUND;
  }
  return steps;
}
