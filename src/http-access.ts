/** Who may call over HTTP by this configuration, and on which addresses that is safe. */
import { BlockList, isIP } from 'node:net';
import type { Config, RawSettings } from './config.js';
import { AppError } from './core/errors.js';
import type { Service } from './core/lifecycle.js';
import { tokensOfFile } from './http-tokens.js';
import type { Logger } from './logger.js';
import { createLogin, type Login } from './mcp/login.js';
import { createTokenWatch } from './token-watch.js';

/** The login, and the service that keeps it up with the file of tokens, if there is one. */
export interface HttpLogin {
  readonly login: Login;
  readonly watch: readonly Service[];
}

/** Reads the tokens of the setting and of the file; throws `invalid_configuration` for a file that cannot be used. */
export async function httpLogin({ httpTokens, httpTokensFile: path }: Config, logger: Logger): Promise<HttpLogin> {
  if (path === undefined) return { login: createLogin(httpTokens), watch: [] };
  const login = createLogin([...httpTokens, ...(await tokensOfFile(path))]);
  const use: Parameters<typeof createTokenWatch>[0]['use'] = (ofFile) => login.replace([...httpTokens, ...ofFile]);
  return { login, watch: [createTokenWatch({ path, logger, use })] };
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

/** The environment without what only front ends need: workers run tools of others. */
export function workerEnvironment(env: RawSettings): RawSettings {
  const { LONGHAUL_HTTP_TOKENS, LONGHAUL_HTTP_TOKENS_FILE, LONGHAUL_CALL_TOKEN, ...rest } = env;
  return rest;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A name other than `localhost` may lead anywhere. */
function isLoopback(host: string): boolean {
  const kind = isIP(host);
  return kind === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, kind === 4 ? 'ipv4' : 'ipv6');
}
