/** Collects the tokens of one text after another in the same memory. */

/** The tokens of one text, in order; both arrays may be longer than `count` and are valid until the next text is read. */
export interface Tokens {
  readonly count: number;
  readonly hashes: Uint32Array;
  /** Lines from 1. */
  readonly lines: Uint32Array;
}

/** A growing list of tokens. */
export interface TokenList {
  /** Begins a text. */
  clear(): void;
  /** Adds a token on the current line. */
  add(hash: number): void;
  breakLine(): void;
  tokens(): Tokens;
}

const FIRST_CAPACITY = 1 << 14;
/** What a large file needed beyond this is given back before the next one. */
const KEPT_CAPACITY = 1 << 20;

/** Creates an empty list. */
export function createTokenList(): TokenList {
  let hashes = new Uint32Array(FIRST_CAPACITY);
  let lines = new Uint32Array(FIRST_CAPACITY);
  let count = 0;
  let line = 1;

  function clear(): void {
    if (hashes.length > KEPT_CAPACITY) {
      hashes = new Uint32Array(FIRST_CAPACITY);
      lines = new Uint32Array(FIRST_CAPACITY);
    }
    count = 0;
    line = 1;
  }

  function add(hash: number): void {
    if (count === hashes.length) {
      hashes = grown(hashes);
      lines = grown(lines);
    }
    hashes[count] = hash;
    lines[count] = line;
    count += 1;
  }

  return {
    clear,
    add,
    breakLine() {
      line += 1;
    },
    tokens: () => ({ count, hashes, lines }),
  };
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * array.length);
  larger.set(array);
  return larger;
}
