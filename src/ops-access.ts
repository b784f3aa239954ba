/** Who may come to the ops listener by this configuration, and on which addresses that is safe. */
import type { Config } from './config.js';
import { AppError } from './core/errors.js';
import type { Service } from './core/lifecycle.js';
import type { Logger } from './logger.js';
import type { OpsAccessRules } from './ops/http-access.js';
import { watchedLogin } from './token-watch.js';
import { createLogin } from './web/login.js';
import { isLoopback } from './web/loopback.js';

/** The rules, and the service that keeps them up with the file of tokens. */
export interface OpsLogin {
  readonly access: OpsAccessRules;
  readonly watch: readonly Service[];
}

/** Reads the tokens and sets the rules; throws `invalid_configuration` for what would let strangers in. */
export async function opsLogin({ ops, allowedHosts }: Config, logger: Logger): Promise<OpsLogin> {
  const { operators: tokens, operatorsFile: path } = ops;
  const { login: operators, watch } = await watchedLogin({ tokens, path, setting: 'LONGHAUL_OPS_TOKENS_FILE' }, logger);
  const readers = createLogin(ops.readers);
  const onLoopback = isLoopback(ops.host);
  if (!onLoopback && !operators.required && !readers.required) throw openAddress(ops.host);
  if (ops.write && !operators.required) throw openWrites();
  return { access: { onLoopback, write: ops.write, operators, readers, allowedHosts }, watch };
}

function openAddress(host: string): AppError {
  return new AppError(
    'invalid_configuration',
    `--ops-host ${host}: others could reach this address, and whoever does would see the jobs of everybody. Give operators ` +
      'tokens with LONGHAUL_OPS_TOKENS, LONGHAUL_OPS_TOKENS_FILE or LONGHAUL_OPS_READ_TOKENS, or listen on 127.0.0.1.',
  );
}

function openWrites(): AppError {
  return new AppError(
    'invalid_configuration',
    '--ops-write: a change needs an operator with a token, and there is none. Give some with LONGHAUL_OPS_TOKENS ' +
      '(name:token) or LONGHAUL_OPS_TOKENS_FILE.',
  );
}
