/** Measures the complexity of one file in a worker thread: decision points from its tokens, functions from its tree. */
import { type FileIdentity, identityOf } from '../cache/identity.js';
import type { SkipReason } from '../counts.js';
import type { TextRange } from '../decode.js';
import { createLexers } from '../embedded.js';
import { generatedByShape } from '../generated.js';
import { languages } from '../languages/index.js';
import type { Language } from '../languages/language.js';
import { createFileLoader, type FileToLoad, type LoadedFile, type Unloaded } from '../load-file.js';
import { hasFunctionTable } from '../syntax/function-tables.js';
import { grammarOf } from '../syntax/grammars.js';
import type { TreeMeasure } from '../syntax/measure-functions.js';
import type { ParseFailure } from '../syntax/tree-parser.js';
import { createDecisionCounter } from './count-decisions.js';

/** Why the functions of a measured file are not known. */
export type NoFunctions = ParseFailure | 'no_grammar' | 'too_large';

/** One measured file. */
export interface FileComplexity {
  readonly language: string;
  readonly lines: number;
  /** Decision points from tokens. */
  readonly decisions: number;
  readonly functions: TreeMeasure | NoFunctions;
}

/** Which file to measure, and within which limits. */
export interface FileToMeasure extends Omit<FileToLoad, 'declared'> {
  /** The name of the language that .gitattributes declares. */
  readonly declaredName?: string | undefined;
  readonly maxFileBytes: number;
  readonly maxParseBytes: number;
  readonly maxParseSteps: number;
}

/** Parses a text for its functions. */
export type Parse = (text: string, grammar: string, maxSteps: number) => Promise<TreeMeasure | ParseFailure>;

/** What a file came to, and what it was when it was opened where its content decided that. */
export interface MeterAnswer {
  readonly outcome: FileComplexity | { readonly skip: SkipReason };
  /** `readMs` is a time before it was opened. */
  readonly seen?: { readonly identity: FileIdentity; readonly readMs: number } | undefined;
}

/** Measures one file after another. */
export type FileMeter = (file: FileToMeasure) => Promise<MeterAnswer>;

const byName: ReadonlyMap<string, Language> = new Map(languages.map((language) => [language.name, language]));

/** Creates the meter of one thread; `parse` is called only for languages that have functions. */
export function createFileMeter(parse: Parse): FileMeter {
  const loaders = new Map<number, ReturnType<typeof createFileLoader>>();
  const lexers = createLexers();
  const counter = createDecisionCounter();

  function load(file: FileToMeasure): LoadedFile | Unloaded {
    const loader = loaders.get(file.maxFileBytes) ?? createFileLoader(file.maxFileBytes);
    loaders.set(file.maxFileBytes, loader);
    const declared = file.declaredName === undefined ? undefined : byName.get(file.declaredName);
    return loader.load({ ...file, declared });
  }

  async function measure(loaded: LoadedFile, file: FileToMeasure): Promise<MeterAnswer['outcome']> {
    const { text, language, bytes } = loaded;
    const { decisions, lines, hasBlocks } = counter.count(text, language.name, lexers.of(language));
    if (!file.handwritten && generatedByShape(language.name, { bytes, lines })) return { skip: 'generated' };
    const measured = { language: language.name, lines, decisions };
    const grammar = grammarOf(language.name);
    if (grammar === undefined || !hasFunctionTable(grammar)) return { ...measured, functions: 'no_grammar' };
    if (text.end - text.start > file.maxParseBytes) return { ...measured, functions: 'too_large' };
    if (decisions === 0 && !hasBlocks && onlyDeclares(language.name, text)) return { ...measured, functions: NONE };
    const source = text.bytes.toString('utf8', text.start, text.end);
    return { ...measured, functions: await parse(source, grammar, file.maxParseSteps) };
  }

  return async (file) => {
    const readMs = Date.now();
    const loaded = load(file);
    const outcome = 'skip' in loaded ? { skip: loaded.skip } : await measure(loaded, file);
    return { outcome, ...(loaded.stats && { seen: { identity: identityOf(loaded.stats), readMs } }) };
  };
}

const NONE: TreeMeasure = { functions: [], cognitive: 0 };
/** Languages in which a function has braces around its body. */
const BRACED = new Set(['C', 'C Header']);
/** Words that cost without a brace or a decision, in code that no compiler would take. */
const LOOSE = ['goto', 'switch'];

/** Whether a text without decisions and blocks has nothing that a parser could find: a table of registers, say. */
function onlyDeclares(language: string, { bytes, start, end }: TextRange): boolean {
  if (!BRACED.has(language)) return false;
  const text = bytes.subarray(start, end);
  return !LOOSE.some((word) => text.includes(word));
}
