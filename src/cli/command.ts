/** What every command shares: how it is run, how it fails, and how its exit code travels. */
import { type Command, CommanderError } from 'commander';
import type { Config } from '../config.js';
import type { LogLevel } from '../core/events.js';
import { EXIT, reportFailure } from './exit.js';
import type { CliPorts } from './ports.js';
import { configOf, type OptionValues, settingsOf } from './settings.js';

/** What commands are built with. */
export interface CommandContext {
  readonly ports: CliPorts;
  /** Hands over the exit code of the command that ran. */
  finish(code: number): void;
}

/** Runs the work of a command to its exit code; any failure but wrong usage is told here. */
export async function runAction(
  { ports, finish }: CommandContext,
  options: OptionValues,
  work: () => Promise<number>,
): Promise<void> {
  try {
    finish(await work());
  } catch (error) {
    if (error instanceof CommanderError) throw error;
    finish(await reportFailure(ports.terminal, error, options.json === true));
  }
}

/** Ends the command as wrongly used: the message and a hint on stderr, exit code 2. */
export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: EXIT.usage, code: 'longhaul.usage' });
}

/** The environment with this command's options over it, and the validated configuration of both. */
export function configure(ports: CliPorts, options: OptionValues) {
  const settings = settingsOf(ports.env, options);
  return { settings, config: configOf(settings, options) };
}

/** As `configure`, for commands of a person: logs from `warn` on unless option or setting (`asked`) says otherwise. */
export function configureQuietly(ports: CliPorts, options: OptionValues) {
  const asked = options.logLevel !== undefined || Boolean(ports.env.LONGHAUL_LOG_LEVEL);
  return { asked, ...configure(ports, asked ? options : { ...options, logLevel: 'warn' }) };
}

/** The level of MCP log messages that corresponds to a process log level; `fallback` where neither option nor setting says. */
export function mcpLogLevel(config: Config, asked: boolean, fallback: LogLevel): LogLevel {
  return asked ? MCP_LEVELS[config.logLevel] : fallback;
}

const MCP_LEVELS: Readonly<Record<Config['logLevel'], LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
  silent: 'emergency',
};
