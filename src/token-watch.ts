/** Keeps the login up with the file of tokens: what is written there counts within moments, and what cannot be used changes nothing. */
import type { Service } from './core/lifecycle.js';
import { textOf, tokensIn } from './http-tokens.js';
import type { Logger } from './logger.js';
import type { TokenEntry } from './mcp/login.js';

/**
 * The file is looked at this often, by its text: mounts that are replaced as a whole (as those of secrets in a cluster are) and
 * files on a network tell of no change.
 */
const LOOK_MS = 1_000;

/** What the watch stands on. */
export interface TokenWatchParts {
  readonly path: string;
  readonly logger: Logger;
  /** Takes all tokens of the file, when they have changed. */
  use(tokens: readonly TokenEntry[]): void;
}

/** Watches the file from `start` to `stop`; the first thing it finds counts as a change. */
export function createTokenWatch({ path, logger, use }: TokenWatchParts): Service {
  let used: string | undefined;
  let last: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const text = await textOf(path).catch((error: Error) => error);
    const seen = text instanceof Error ? text.message : text;
    // Half of a file that is just being written would lock out those in the other half.
    const isSettled = seen === last;
    last = seen;
    if (!isSettled || seen === used) return;
    used = seen;
    try {
      if (text instanceof Error) throw text;
      const tokens = tokensIn(text, path);
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
