/** The syntax service: answers questions about source texts that take a parser. The entry of this folder. */
import { createCrew } from './crew.js';
import { grammarOf } from './grammars.js';
import { ThreadLost } from './syntax-thread.js';

/** Longer texts are not parsed unless the caller says otherwise. */
export const DEFAULT_MAX_PARSE_BYTES = 1024 * 1024;
/** The most time a text's parse may take unless the caller says otherwise; dense source is parsed at about 2 MiB a second. */
export const DEFAULT_PARSE_TIMEOUT_MS = 5000;

/** How a service parses. */
export interface SyntaxOptions {
  /** The most threads, at least one; each is started when needed and takes up to some 200 MB. Default 1. */
  readonly threads?: number | undefined;
  /** Texts of more bytes of UTF-8 are not parsed. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** A parse is given up after this long; loading a grammar does not count. Default 5 s. */
  readonly timeoutMs?: number | undefined;
}

/** Answers questions about the syntax of texts. Open until closed; its threads do not keep the process alive while idle. */
export interface SyntaxService {
  /**
   * How many places of a text do not follow the grammar of `language`, one of `languages` by name: 0 for a well-formed
   * text. Undefined where that cannot be said: the language has no grammar, the text is too long, or its parse took too
   * long or crashed. Rejects with the signal's reason on abort.
   */
  countSyntaxErrors(language: string, text: string, options: { signal: AbortSignal }): Promise<number | undefined>;
  /** Ends its threads and rejects what is still open. Idempotent. */
  close(): Promise<void>;
}

/** Creates a service; it costs nothing until it is first asked about a language that it knows. */
export function createSyntax(options: SyntaxOptions = {}): SyntaxService {
  const { threads = 1, maxBytes = DEFAULT_MAX_PARSE_BYTES, timeoutMs = DEFAULT_PARSE_TIMEOUT_MS } = options;
  const crew = createCrew(Math.max(1, threads));

  async function countSyntaxErrors(
    language: string,
    text: string,
    { signal }: { signal: AbortSignal },
  ): Promise<number | undefined> {
    const grammar = grammarOf(language);
    if (grammar === undefined || Buffer.byteLength(text) > maxBytes) return undefined;
    try {
      const { errors } = await crew.ask({ kind: 'errors', grammar, text, timeoutMs }, signal);
      return typeof errors === 'number' ? errors : undefined;
    } catch (error) {
      if (error instanceof ThreadLost) return undefined;
      throw error;
    }
  }

  return { countSyntaxErrors, close: () => crew.end() };
}
