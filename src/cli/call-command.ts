/** `call`: an MCP client that calls one tool and shows what comes of it. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { addCallOptions, type CallOptions, callWith } from './call-options.js';
import { type CommandContext, runAction, usageError } from './command.js';
import { EXIT_HELP } from './exit.js';
import type { CliPorts } from './ports.js';
import { BACKEND_OPTIONS } from './settings.js';
import { showEnd, shownText } from './show-result.js';

const CALL_HELP = `${EXIT_HELP}

Examples:
  longhaul call list_jobs
  longhaul call analyze_codebase --args '{"path":"."}' --json
  longhaul call analyze_codebase --args @request.json --url http://127.0.0.1:3000/mcp
  echo '{"job_id":"job_..."}' | longhaul call get_job --args -`;

/** Adds the command. */
export function addCallCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('call')
    .summary('call any tool')
    .description('Calls a tool and prints its result. Starts a server for the call unless --url names a running one.')
    .argument('<tool>', 'name of the tool')
    .option('--args <json>', 'arguments as a JSON object; - reads stdin, @FILE a file', '{}')
    .addHelpText('after', CALL_HELP);
  addCallOptions(command, ['root', 'tools', 'workers', 'concurrency', ...BACKEND_OPTIONS]);
  command.action((tool: string, options: CallOptions & { readonly args: string }) =>
    runAction(context, options, async () => {
      const args = await readArguments(command, context.ports, options.args);
      const end = await callWith(context.ports, options, { tool, args });
      return await showEnd(context.ports, options, end, { text: (result) => shownText(context.ports, result) });
    }),
  );
}

async function readArguments(command: Command, ports: CliPorts, source: string): Promise<Record<string, unknown>> {
  const from = source === '-' ? 'stdin' : source.startsWith('@') ? source.slice(1) : 'the command line';
  const text = await textFrom(command, ports, source);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return usageError(command, `--args: expected a JSON object from ${from}: ${why}`);
  }
  if (isObject(value)) return value;
  return usageError(
    command,
    `--args: expected a JSON object from ${from}, such as '{"path":"."}'; got ${kindOf(value)}`,
  );
}

async function textFrom(command: Command, ports: CliPorts, source: string): Promise<string> {
  if (source === '-') return await ports.terminal.readInput();
  if (!source.startsWith('@')) return source;
  try {
    return await readFile(source.slice(1), 'utf8');
  } catch (error) {
    return usageError(
      command,
      `--args: cannot read the file: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
