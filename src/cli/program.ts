/** The `longhaul` command line: its commands, its help, and the exit code of a run. */
import { Command, CommanderError } from 'commander';
import { addAnalyzeCommand } from './analyze-command.js';
import { addCallCommand } from './call-command.js';
import type { CommandContext } from './command.js';
import { addDoctorCommand } from './doctor-command.js';
import { EXIT, EXIT_HELP } from './exit.js';
import { addJobsCommands } from './jobs-commands.js';
import type { CliPorts } from './ports.js';
import { addServeCommands } from './serve-commands.js';
import { addStatusCommand } from './status-command.js';

const HELP = `${EXIT_HELP}

Settings also come from the environment (LONGHAUL_ROOTS, LONGHAUL_REDIS_URL, ...); an option beats its setting.

Examples:
  longhaul analyze ~/src/linux            count the code of a repository
  longhaul stdio --root ~/src             serve MCP to a host that starts the server
  longhaul http --root ~/src              serve MCP at http://127.0.0.1:3000/mcp
  longhaul status --watch                 see what runs, and whether all is well
  longhaul doctor                         check the installation`;

/** Runs one command line (without program and script) and gives its exit code; rejects with nothing but a bug. */
export async function runCommandLine(args: readonly string[], ports: CliPorts): Promise<number> {
  let code: number = EXIT.success;
  const context: CommandContext = {
    ports,
    finish: (result) => {
      code = result;
    },
  };
  const program = createProgram(context);
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.success;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    throw error;
  }
}

function createProgram(context: CommandContext): Command {
  const program = new Command('longhaul')
    .description('A durable, job-queue-backed MCP server for tools that run longer than a client waits.')
    .version(context.ports.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', HELP)
    .showHelpAfterError('Add --help for usage and examples.')
    .exitOverride();
  addServeCommands(program, context);
  addCallCommand(program, context);
  addAnalyzeCommand(program, context);
  addStatusCommand(program, context);
  addJobsCommands(program, context);
  addDoctorCommand(program, context);
  return program;
}
