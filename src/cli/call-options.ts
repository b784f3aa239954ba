/** Options that `call` and `analyze` share: which server is called, and how. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CallEnd, ToolCall } from './call-tool.js';
import { configureQuietly, mcpLogLevel } from './command.js';
import type { CliPorts } from './ports.js';
import { createProgressDisplay } from './progress-display.js';
import type { ServerChoice } from './server-link.js';
import { type OptionValues, type SettingOptionName, settingOptions } from './settings.js';

/** Options of a call as commander parses them. */
export interface CallOptions extends OptionValues {
  readonly url?: URL;
  readonly json?: boolean;
  readonly timeout?: number;
  readonly logLevel?: string;
  readonly root?: readonly string[];
}

const LONGEST_TIMEOUT_SECONDS = 2_147_483;

/** Adds `--url`, `--json`, `--timeout` and those settings of a server started for the call that are `named`. */
export function addCallOptions(command: Command, named: readonly SettingOptionName[]): void {
  command
    .addOption(new Option('--url <url>', 'call a running server, such as http://127.0.0.1:3000/mcp').argParser(httpUrl))
    .option('--json', 'print the structured result as one JSON document')
    .addOption(new Option('--timeout <seconds>', 'cancel the call after this long').argParser(positiveSeconds));
  for (const option of settingOptions(named)) {
    // A running server has its own settings: giving both would silently do nothing.
    command.addOption(option.attributeName() === 'logLevel' ? option : option.conflicts('url'));
  }
}

/** Calls `tool` on the server the options choose, with progress on stderr. */
export async function callWith(
  ports: CliPorts,
  options: CallOptions,
  call: Pick<ToolCall, 'tool' | 'args' | 'more'>,
): Promise<CallEnd> {
  const { asked, settings, config } = configureQuietly(ports, options);
  const server: ServerChoice = options.url
    ? { kind: 'url', url: options.url, ...(config.callToken !== undefined && { token: config.callToken }) }
    : { kind: 'child', entry: ports.entry, settings, graceMs: config.graceMs, rawLog: asked };
  // Loaded late: the client takes longer to load than help or a wrong option takes to answer.
  const { callTool } = await import('./call-tool.js');
  return await callTool(
    {
      ...call,
      logLevel: mcpLogLevel(config, asked, 'info'),
      ...(options.timeout !== undefined && { timeoutMs: options.timeout * 1_000 }),
    },
    { server, version: ports.version, display: createProgressDisplay(ports.terminal) },
  );
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('Expected an http:// or https:// URL, such as http://127.0.0.1:3000/mcp.');
}

function positiveSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds;
  throw new InvalidArgumentError(`Expected seconds, more than 0 and at most ${LONGEST_TIMEOUT_SECONDS}.`);
}
