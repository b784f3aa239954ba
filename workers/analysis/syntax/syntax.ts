/** The syntax service: answers questions about source texts that take a parser. The entry of this folder. */
import { createCrew } from './crew.js';
import { hasFunctionTable } from './function-tables.js';
import { grammarOf } from './grammars.js';
import type { TreeMeasure } from './measure-functions.js';
import type { SyntaxAnswer, TextRequest } from './messages.js';
import { ThreadLost } from './syntax-thread.js';
import type { ParseFailure } from './tree-parser.js';

export type { FunctionMeasure, TreeMeasure } from './measure-functions.js';

/** Longer texts are not parsed unless the caller says otherwise. */
export const DEFAULT_MAX_PARSE_BYTES = 1024 * 1024;
/** The most steps that a text's parse may take unless the caller says otherwise; a MiB of dense source takes up to 56,000, a hundred bytes of it up to ten. */
export const DEFAULT_MAX_PARSE_STEPS = 100_000;

/** How a service parses. */
export interface SyntaxOptions {
  /** The most threads, at least one; each is started when needed and takes up to some 200 MB. Default 1. */
  readonly threads?: number | undefined;
  /** Texts of more bytes of UTF-8 are not parsed. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** A parse is given up after so many steps, of a hundred operations each. Default 100,000, which take some seconds. */
  readonly maxSteps?: number | undefined;
}

/** Answers questions about the syntax of texts. Open until closed; its threads do not keep the process alive while idle. */
export interface SyntaxService {
  /**
   * How many places of a text do not follow the grammar of `language`, one of `languages` by name: 0 for a well-formed
   * text. Undefined where that cannot be said: the language has no grammar, the text is too long, or its parse took too
   * many steps or crashed. Rejects with the signal's reason on abort.
   */
  countSyntaxErrors(language: string, text: string, options: AskOptions): Promise<number | undefined>;
  /** The functions of a text and their complexity, by the rules of docs/metrics.md; undefined and rejected as above. */
  measureFunctions(language: string, text: string, options: AskOptions): Promise<TreeMeasure | undefined>;
  /** Ends its threads and rejects what is still open. Idempotent. */
  close(): Promise<void>;
}

/** How to ask. */
export interface AskOptions {
  readonly signal: AbortSignal;
}

/** Creates a service; it costs nothing until it is first asked about a language that it knows. */
export function createSyntax(options: SyntaxOptions = {}): SyntaxService {
  const { threads = 1, maxBytes = DEFAULT_MAX_PARSE_BYTES, maxSteps = DEFAULT_MAX_PARSE_STEPS } = options;
  const crew = createCrew(Math.max(1, threads));

  async function ask(request: Omit<TextRequest, 'maxSteps'>, signal: AbortSignal): Promise<SyntaxAnswer | undefined> {
    if (Buffer.byteLength(request.text) > maxBytes) return undefined;
    try {
      return await crew.ask({ ...request, maxSteps }, signal);
    } catch (error) {
      if (error instanceof ThreadLost) return undefined;
      throw error;
    }
  }

  return {
    async countSyntaxErrors(language, text, { signal }) {
      const grammar = grammarOf(language);
      if (grammar === undefined) return undefined;
      const answer = await ask({ question: 'errors', grammar, text }, signal);
      return answer?.question === 'errors' ? parsed(answer.value) : undefined;
    },
    async measureFunctions(language, text, { signal }) {
      const grammar = grammarOf(language);
      if (grammar === undefined || !hasFunctionTable(grammar)) return undefined;
      const answer = await ask({ question: 'functions', grammar, text }, signal);
      return answer?.question === 'functions' ? parsed(answer.value) : undefined;
    },
    close: () => crew.end(),
  };
}

function parsed<T>(value: T | ParseFailure): T | undefined {
  return value === 'too_complex' || value === 'crashed' ? undefined : value;
}
