/** `call` and `analyze`: an MCP client that calls one tool and shows what comes of it. */
import { readFile } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { resolveAllowedFolder } from '../core/allowed-folders.js';
import { AppError, isErrorCode } from '../core/errors.js';
import { addCallOptions, type CallOptions, callWith } from './call-options.js';
import type { CallEnd } from './call-tool.js';
import { type CommandContext, runAction, usageError } from './command.js';
import { EXIT, EXIT_HELP, jsonText } from './exit.js';
import { exitCodeOf } from './interrupts.js';
import type { CliPorts } from './ports.js';
import { renderAnalysis } from './render-analysis.js';
import { BACKEND_OPTIONS } from './settings.js';
import { plainLines } from './table.js';

const CALL_HELP = `${EXIT_HELP}

Examples:
  longhaul call list_jobs
  longhaul call analyze_codebase --args '{"path":"."}' --json
  longhaul call analyze_codebase --args @request.json --url http://127.0.0.1:3000/mcp
  echo '{"job_id":"job_..."}' | longhaul call get_job --args -`;

const ANALYZE_HELP = `${EXIT_HELP}

With --url, the path is looked up by that server: absolute, or relative to its first allowed folder.

Examples:
  longhaul analyze
  longhaul analyze ~/src/linux --exclude 'drivers/**'
  longhaul analyze . --json | jq .totals.code`;

/** Adds both commands. */
export function addCallCommands(program: Command, context: CommandContext): void {
  addCall(program, context);
  addAnalyze(program, context);
}

function addCall(program: Command, context: CommandContext): void {
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
      return await showEnd(context.ports, options, end, (result) => shownText(context.ports, result));
    }),
  );
}

interface AnalyzeOptions extends CallOptions {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** False for `--no-gitignore`. */
  readonly gitignore: boolean;
  readonly maxFileBytes?: number;
}

function addAnalyze(program: Command, context: CommandContext): void {
  const { ports } = context;
  const collect = (value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value];
  const command = program
    .command('analyze')
    .summary('count the code of a folder')
    .description('Counts files, lines, code, comments and blanks of a folder by language (tool analyze_codebase).')
    .argument('[path]', 'folder to scan', '.')
    .addOption(new Option('--include <glob>', 'count only matching files (repeatable)').argParser(collect))
    .addOption(new Option('--exclude <glob>', 'leave out matching files (repeatable)').argParser(collect))
    .option('--no-gitignore', 'count what git ignores, too')
    .addOption(new Option('--max-file-bytes <n>', 'skip larger files').argParser(wholeNumber))
    .addHelpText('after', ANALYZE_HELP);
  addCallOptions(command, ['workers', 'concurrency', ...BACKEND_OPTIONS]);
  command.action((path: string, options: AnalyzeOptions) =>
    runAction(context, options, async () => {
      const folder = options.url ? path : await localFolder(path);
      const end = await callWith(ports, options.url ? options : { ...options, root: [folder] }, {
        tool: 'analyze_codebase',
        args: analyzeArguments(folder, options),
      });
      return await showEnd(ports, options, end, async (result) => {
        const analysis = await ports.parseAnalysis(result.structuredContent);
        return analysis ? renderAnalysis(analysis, ports.terminal.colour) : shownText(ports, result);
      });
    }),
  );
}

/** Refuses here what the server would refuse, before a server is started; any local folder may be scanned by its user. */
function localFolder(path: string): Promise<string> {
  const absolute = resolve(path);
  return resolveAllowedFolder(absolute, [parse(absolute).root]);
}

function analyzeArguments(path: string, options: AnalyzeOptions): Record<string, unknown> {
  const { include, exclude, maxFileBytes } = options;
  return {
    path,
    respect_gitignore: options.gitignore,
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
  };
}

/** Prints how a call ended, and gives the exit code; throws the error of a failed tool. */
async function showEnd(
  { terminal }: CliPorts,
  { json }: CallOptions,
  end: CallEnd,
  render: (result: CallToolResult) => string | Promise<string>,
): Promise<number> {
  if (end.kind === 'interrupted') {
    terminal.err('Cancelled.');
    if (json) await terminal.out(jsonText({ error: { code: 'cancelled', message: 'Cancelled.', retryable: false } }));
    return exitCodeOf(end.by);
  }
  const { result } = end;
  if (result.isError) throw toolError(result);
  await terminal.out(json ? jsonText(result.structuredContent ?? { content: result.content }) : await render(result));
  return EXIT.success;
}

/** On a terminal a tool's text must not steer it; a file or pipe gets the text as it is. */
function shownText({ terminal }: CliPorts, result: CallToolResult): string {
  return terminal.outIsTty ? plainLines(textOf(result)) : textOf(result);
}

function textOf({ content }: CallToolResult): string {
  const texts = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return texts.join('\n\n');
}

/** The server puts code and `retryable` beside the text; another server's error is taken by its text alone. */
function toolError(result: CallToolResult): AppError {
  const meta = result._meta?.['longhaul/error'];
  const report = typeof meta === 'object' && meta !== null ? meta : {};
  const code = 'code' in report && isErrorCode(report.code) ? report.code : 'handler_failed';
  const retryable = 'retryable' in report && report.retryable === true;
  return new AppError(code, textOf(result) || 'The tool failed and did not say why.', { retryable });
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

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number of at least 1.');
}
