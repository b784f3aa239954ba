/** Reads the tokens of files, with those of the last few kept. */
import type { SkipReason } from '../counts.js';
import { createLanguageDeclarations } from '../declared-languages.js';
import { createLexers } from '../embedded.js';
import { generatedByShape } from '../generated.js';
import { createFileLoader } from '../load-file.js';
import { type Comparison, comparedAs } from './comparison.js';
import { hashToken } from './token-hash.js';
import { createTokenizer, type Tokens } from './tokens.js';

/** One file's tokens. */
export interface SourceTokens extends Tokens {
  readonly language: string;
  /** A number for the languages it is compared with. */
  readonly seed: number;
  /** How many lines hold tokens. */
  readonly codeLines: number;
}

/** The tokens of one file that may be kept. */
export interface KeptTokens extends Tokens {
  /** How many lines hold tokens before that of the token `at`. */
  codeLineOf(at: number): number;
}

/** Which file to read. */
export interface SourceFile {
  readonly path: string;
  readonly handwritten: boolean;
}

/** Why a file has no tokens to compare: it cannot be read or is no source, or it is in a language that is not compared. */
export type NoTokens = { readonly skip: SkipReason } | { readonly notCompared: string };

/** Reads files. */
export interface TokenSource {
  /** The tokens are valid until the next file is read. */
  read(file: SourceFile): SourceTokens | NoTokens;
  /** Tokens that stay valid; undefined where there are none. */
  keep(file: SourceFile): KeptTokens | undefined;
}

const MARK_TOKENS = 64;

/** Creates the source of one thread. */
export function createTokenSource({ root, maxFileBytes, normalize, mostKept }: Comparison): TokenSource {
  const loader = createFileLoader(maxFileBytes);
  const languages = createLanguageDeclarations(root);
  const lexers = createLexers();
  const tokenizer = createTokenizer(normalize);
  /** The least recently used first. */
  const kept = new Map<string, KeptTokens>();
  let keptTokens = 0;

  function read({ path, handwritten }: SourceFile): SourceTokens | NoTokens {
    const file = loader.load({ root, path, handwritten, declared: languages.of(path) });
    if ('skip' in file) return file;
    const { text, language, bytes } = file;
    const group = comparedAs(language.name);
    if (group === undefined) return { notCompared: language.name };
    const tokens = tokenizer.read(text, lexers.of(language));
    const lines = tokens.lines[tokens.count - 1] ?? 0;
    if (!handwritten && generatedByShape(language.name, { bytes, lines })) return { skip: 'generated' };
    const seed = hashToken(Buffer.from(group), 0, Buffer.byteLength(group));
    return { ...tokens, language: language.name, seed, codeLines: countCodeLines(tokens) };
  }

  function keep(file: SourceFile): KeptTokens | undefined {
    const known = kept.get(file.path);
    if (known !== undefined) {
      kept.delete(file.path);
      kept.set(file.path, known);
      return known;
    }
    const tokens = read(file);
    if (!('hashes' in tokens)) return undefined;
    const copy = copyOf(tokens);
    kept.set(file.path, copy);
    keptTokens += copy.count;
    forgetOldest(file.path);
    return copy;
  }

  function forgetOldest(newest: string): void {
    for (const [path, tokens] of kept) {
      if (keptTokens <= mostKept || path === newest) return;
      kept.delete(path);
      keptTokens -= tokens.count;
    }
  }

  return { read, keep };
}

function countCodeLines({ count, lines }: Tokens): number {
  let distinct = 0;
  for (let at = 0; at < count; at += 1) if (at === 0 || lines[at] !== lines[at - 1]) distinct += 1;
  return distinct;
}

function copyOf({ count, hashes, lines }: Tokens): KeptTokens {
  const kept = { count, hashes: hashes.slice(0, count), lines: lines.slice(0, count) };
  return { ...kept, codeLineOf: createCodeLines(kept) };
}

/** Counts from the nearest of many marks on, which takes less memory than a number for each token. */
function createCodeLines({ count, lines }: Tokens): (at: number) => number {
  const marks = new Uint32Array(Math.floor(count / MARK_TOKENS) + 1);
  let before = 0;
  for (let at = 1; at < count; at += 1) {
    if (lines[at] !== lines[at - 1]) before += 1;
    if (at % MARK_TOKENS === 0) marks[at / MARK_TOKENS] = before;
  }
  return (token) => {
    const mark = Math.floor(token / MARK_TOKENS);
    let line = marks[mark] ?? 0;
    for (let at = mark * MARK_TOKENS + 1; at <= token; at += 1) if (lines[at] !== lines[at - 1]) line += 1;
    return line;
  };
}
