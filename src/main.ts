#!/usr/bin/env node
/** The `longhaul` program: hands the command line what it stands on, and ends with its exit code. */
import { fileURLToPath } from 'node:url';
import type { CliPorts } from './cli/ports.js';
import { runCommandLine } from './cli/program.js';
import { processTerminal } from './cli/terminal.js';
import { type Config, environment } from './config.js';
import { productIdentity } from './identity.js';
import { createLogger } from './logger.js';
import { examine, withOperator } from './operator.js';
import { runHttp, runStdio, runWorkers } from './server.js';
import { analyzeCodebase } from './tools/analyze-codebase.js';

const terminal = processTerminal(environment());
const logger = (config: Config) => createLogger('longhaul', config.logLevel);

const ports: CliPorts = {
  version: productIdentity().version,
  env: environment(),
  entry: fileURLToPath(import.meta.url),
  terminal,
  serving: {
    stdio: (config, env) => runStdio({ config, logger: logger(config), env }),
    http: (config, env, listen) => runHttp({ config, logger: logger(config), env }, listen),
    workers: (config, env) => runWorkers({ config, logger: logger(config), env }),
  },
  withOperator: (config, use) => withOperator(config, logger(config), use),
  examine: (config) => examine(config, logger(config)),
  parseAnalysis: (structured) => analyzeCodebase.output.safeParse(structured).data,
};

/** Whatever goes wrong is told in a sentence: a stack helps nobody at a prompt. */
function fault(error: unknown): void {
  terminal.err(`error: Longhaul met a fault of its own: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

process.on('uncaughtException', fault);
process.on('unhandledRejection', fault);
runCommandLine(process.argv.slice(2), ports).then((code) => process.exit(code), fault);
