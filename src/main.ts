#!/usr/bin/env node
/** The `longhaul` program: hands the command line what it stands on, and ends with its exit code. */
import { fileURLToPath } from 'node:url';
import type { CliPorts } from './cli/ports.js';
import { runCommandLine } from './cli/program.js';
import { processTerminal } from './cli/terminal.js';
import { type Config, environment } from './config.js';
import { productIdentity } from './identity.js';
import { loadLean } from './load-lean.js';
import { createLogger, stderrWithout } from './logger.js';
import { secretValues } from './secrets/environment-values.js';

// What serves and what reaches Redis is imported when it is needed: most commands need the one or the other, and help
// needs neither, but loading all of it takes longer than answering.
const server = () => loadLean(() => import('./server.js'));
const operator = () => loadLean(() => import('./operator.js'));

const terminal = processTerminal(environment());
const logger = (config: Config) =>
  createLogger('longhaul', config.logLevel, stderrWithout(secretValues(environment())));

const WORKER = fileURLToPath(new URL('../workers/main.js', import.meta.url));

const ports: CliPorts = {
  version: productIdentity().version,
  env: environment(),
  entry: fileURLToPath(import.meta.url),
  terminal,
  serving: {
    stdio: async (config, env) => (await server()).runStdio({ config, logger: logger(config), env }),
    http: async (config, env, listen) => (await server()).runHttp({ config, logger: logger(config), env }, listen),
    workers: async (config, env) => (await server()).runWorkers({ config, logger: logger(config), env }),
  },
  withOperator: async (config, use) => (await operator()).withOperator(config, logger(config), use),
  examine: async (config, { isQuick }) =>
    (await operator()).examine(config, logger(config), isQuick ? undefined : WORKER),
  async parseAnalysis(structured) {
    const { analyzeCodebase } = await import('./tools/analyze-codebase.js');
    return analyzeCodebase.output.safeParse(structured).data;
  },
};

/** Whatever goes wrong is told in a sentence: a stack helps nobody at a prompt. */
function fault(error: unknown): void {
  terminal.err(`error: Longhaul met a fault of its own: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

process.on('uncaughtException', fault);
process.on('unhandledRejection', fault);
runCommandLine(process.argv.slice(2), ports).then((code) => process.exit(code), fault);
