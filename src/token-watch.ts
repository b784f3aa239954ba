/** Keeps the login up with the file of tokens: what is written there counts within moments, and what cannot be used changes nothing. */
import type { Service } from './core/lifecycle.js';
import { type TokensFile, textOf, tokensIn, tokensOfFile } from './http-tokens.js';
import type { Logger } from './logger.js';
import { createLogin, type Login, type TokenEntry } from './web/login.js';

/**
 * The file is looked at this often, by its text: mounts that are replaced as a whole (as those of secrets in a cluster are) and
 * files on a network tell of no change.
 */
const LOOK_MS = 1_000;

/** A login, and the service that keeps it up with the file of tokens, if there is one. */
export interface WatchedLogin {
  readonly login: Login;
  readonly watch: readonly Service[];
}

/** Where tokens stand: in a setting and, beside it, in a file. */
export interface TokenPlaces {
  readonly tokens: readonly TokenEntry[];
  /** Absolute; undefined for none. */
  readonly path: string | undefined;
  /** That names the file. */
  readonly setting: string;
}

/** Reads the tokens of both places; throws `invalid_configuration` for a file that cannot be used. */
export async function watchedLogin({ tokens, path, setting }: TokenPlaces, logger: Logger): Promise<WatchedLogin> {
  if (path === undefined) return { login: createLogin(tokens), watch: [] };
  const file = { path, setting };
  const login = createLogin([...tokens, ...(await tokensOfFile(file))]);
  const use = (ofFile: readonly TokenEntry[]) => login.replace([...tokens, ...ofFile]);
  return { login, watch: [createTokenWatch({ file, logger, use })] };
}

/** What the watch stands on. */
export interface TokenWatchParts {
  readonly file: TokensFile;
  readonly logger: Logger;
  /** Takes all tokens of the file, when they have changed. */
  use(tokens: readonly TokenEntry[]): void;
}

/** Watches the file from `start` to `stop`; the first thing it finds counts as a change. */
export function createTokenWatch({ file, logger, use }: TokenWatchParts): Service {
  let used: string | undefined;
  let last: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const text = await textOf(file).catch((error: Error) => error);
    const seen = text instanceof Error ? text.message : text;
    // Half of a file that is just being written would lock out those in the other half.
    const isSettled = seen === last;
    last = seen;
    if (!isSettled || seen === used) return;
    used = seen;
    try {
      if (text instanceof Error) throw text;
      const tokens = tokensIn(text, file);
      use(tokens);
      logger.info({ tokens: tokens.length }, 'the file of tokens was read');
    } catch (err) {
      logger.error({ err }, 'the file of tokens cannot be used; those it held before still count');
    }
  };
  const tick = (): void => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  };
  return {
    name: 'file of tokens',
    async start() {
      timer = setInterval(tick, LOOK_MS).unref();
    },
    quiet: () => Promise.resolve(),
    async stop() {
      clearInterval(timer);
    },
  };
}
