/** `stdio`, `http` and `worker`: the processes that serve. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommandContext, configure, runAction } from './command.js';
import { EXIT } from './exit.js';
import { BACKEND_OPTIONS, type OptionValues, type SettingOptionName, settingOptions } from './settings.js';

const SERVER_OPTIONS: readonly SettingOptionName[] = [
  'root',
  'tools',
  'workers',
  'queue',
  'concurrency',
  'grace',
  ...BACKEND_OPTIONS,
];
const OPS_OPTIONS = ['opsPort', 'opsHost'] as const;
const HTTP_OPTIONS: readonly SettingOptionName[] = [
  'allowedHost',
  'allowedOrigin',
  ...OPS_OPTIONS,
  'opsWrite',
  ...SERVER_OPTIONS,
];
const WORKER_OPTIONS: readonly SettingOptionName[] = [
  'tools',
  'workers',
  'queue',
  'concurrency',
  'grace',
  ...OPS_OPTIONS,
  ...BACKEND_OPTIONS,
];

const STDIO_HELP = `
stdout carries the protocol and nothing else; the log is on stderr. Ends when stdin does.

Examples:
  longhaul stdio                          serve the working directory
  longhaul stdio --root ~/src --root /data
  longhaul stdio --redis redis://localhost:6379 --workers 0`;

const HTTP_HELP = `
Examples:
  longhaul http --root ~/src              http://127.0.0.1:3000/mcp
  LONGHAUL_HTTP_TOKENS_FILE=tokens longhaul http --port 8080 --host 0.0.0.0 --allowed-host mcp.example.com
  longhaul http --workers 0               with workers on other hosts, see longhaul worker
  longhaul http --ops-port 9100           and a dashboard at http://127.0.0.1:9100/`;

const WORKER_HELP = `
Examples:
  longhaul worker --redis redis://queue.internal:6379
  longhaul worker --workers 4 --concurrency analysis=2,review=50
  longhaul worker --queue analysis        leave reviews to other workers`;

/** Adds the three commands. */
export function addServeCommands(program: Command, context: CommandContext): void {
  addStdio(program, context);
  addHttp(program, context);
  addWorker(program, context);
}

function addStdio(program: Command, context: CommandContext): void {
  const { ports } = context;
  const command = program
    .command('stdio')
    .summary('serve MCP on stdin and stdout')
    .description('Serves MCP on stdin and stdout, for hosts that start the server themselves.')
    .addHelpText('after', STDIO_HELP);
  for (const option of settingOptions(SERVER_OPTIONS)) command.addOption(option);
  command.action((options: OptionValues) =>
    runAction(context, options, async () => {
      const noRoots = options.root === undefined && !ports.env.LONGHAUL_ROOTS;
      const { settings, config } = configure(ports, noRoots ? { ...options, root: ['.'] } : options);
      await ports.serving.stdio(config, settings);
      return EXIT.success;
    }),
  );
}

function addHttp(program: Command, context: CommandContext): void {
  const { ports } = context;
  const command = program
    .command('http')
    .summary('serve MCP over HTTP')
    .description('Serves MCP over Streamable HTTP at /mcp. Tools can read no folder unless one is allowed with --root.')
    .addOption(new Option('--port <n>', 'port to listen on, 0 for a free one').default(3000).argParser(portNumber))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addHelpText('after', HTTP_HELP);
  for (const option of settingOptions(HTTP_OPTIONS)) command.addOption(option);
  command.action((options: OptionValues & { readonly port: number; readonly host: string }) =>
    runAction(context, options, async () => {
      const { settings, config } = configure(ports, options);
      await ports.serving.http(config, settings, { port: options.port, host: options.host });
      return EXIT.success;
    }),
  );
}

function addWorker(program: Command, context: CommandContext): void {
  const { ports } = context;
  const command = program
    .command('worker')
    .summary('run jobs for servers elsewhere')
    .description('Runs worker processes only, for servers that share the same Redis. They must see the same folders.')
    .addHelpText('after', WORKER_HELP);
  for (const option of settingOptions(WORKER_OPTIONS)) command.addOption(option);
  command.action((options: OptionValues) =>
    runAction(context, options, async () => {
      const { settings, config } = configure(ports, options);
      await ports.serving.workers(config, settings);
      return EXIT.success;
    }),
  );
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}
