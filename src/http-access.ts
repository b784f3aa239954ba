/** Who may call over HTTP by this configuration, and on which addresses that is safe. */
import type { Config, RawSettings } from './config.js';
import { AppError } from './core/errors.js';
import type { Logger } from './logger.js';
import { type WatchedLogin, watchedLogin } from './token-watch.js';
import type { Login } from './web/login.js';
import { isLoopback } from './web/loopback.js';

/** Reads the tokens of the setting and of the file; throws `invalid_configuration` for a file that cannot be used. */
export function httpLogin({ httpTokens: tokens, httpTokensFile: path }: Config, logger: Logger): Promise<WatchedLogin> {
  return watchedLogin({ tokens, path, setting: 'LONGHAUL_HTTP_TOKENS_FILE' }, logger);
}

/** Refuses to serve everybody on an address that others can reach; throws `invalid_configuration`. */
export function refuseOpenAddress(host: string, login: Login, { httpAnonymous }: Config): void {
  if (login.required || httpAnonymous === 'anywhere' || isLoopback(host)) return;
  throw new AppError(
    'invalid_configuration',
    `--host ${host}: others could reach this address, and whoever does may use every tool and see every job. ` +
      'Give callers tokens with LONGHAUL_HTTP_TOKENS or LONGHAUL_HTTP_TOKENS_FILE, listen on 127.0.0.1, or, if something else ' +
      'keeps others out, set LONGHAUL_HTTP_ANONYMOUS=anywhere.',
  );
}

const FRONT_END_ONLY: ReadonlySet<string> = new Set([
  'LONGHAUL_HTTP_TOKENS',
  'LONGHAUL_HTTP_TOKENS_FILE',
  'LONGHAUL_CALL_TOKEN',
  'LONGHAUL_OPS_TOKENS',
  'LONGHAUL_OPS_TOKENS_FILE',
  'LONGHAUL_OPS_READ_TOKENS',
  'LONGHAUL_WEBHOOK_URL',
  'LONGHAUL_WEBHOOK_SECRET',
]);

/** The environment without what only front ends need: workers run tools of others. */
export function workerEnvironment(env: RawSettings): RawSettings {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !FRONT_END_ONLY.has(name)));
}
