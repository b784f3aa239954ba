/** `doctor`: checks everything the product stands on and says how to mend what is amiss. */
import type { Command } from 'commander';
import { type CommandContext, configureQuietly, runAction } from './command.js';
import { EXIT, EXIT_HELP, jsonText } from './exit.js';
import type { Finding } from './ports.js';
import { BACKEND_OPTIONS, type OptionValues, settingOptions } from './settings.js';

const HELP = `
Exit code 0 if no check fails (warnings are fine), 1 otherwise.
${EXIT_HELP}

Examples:
  longhaul doctor
  longhaul doctor --redis redis://queue.internal:6379 --json | jq '.findings[] | select(.status != "ok")'`;

const MARKS: Readonly<Record<Finding['status'], string>> = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' };
/** ECMA-48 SGR: green, yellow, red. */
const COLOURS: Readonly<Record<Finding['status'], number>> = { ok: 32, warn: 33, fail: 31 };

interface DoctorOptions extends OptionValues {
  readonly json?: boolean;
  readonly quick?: boolean;
}

/** Adds the command. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  const { ports } = context;
  const command = program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Checks Node, git, workers, Redis, its settings, clocks, folders and memory, and says how to mend what is amiss.',
    )
    .option('--quick', 'load no worker to see whether it starts: for health checks')
    .option('--json', 'print one JSON document: {"ok", "findings"}')
    .addHelpText('after', HELP);
  for (const option of settingOptions(BACKEND_OPTIONS)) command.addOption(option);
  command.action((options: DoctorOptions) =>
    runAction(context, options, async () => {
      const { config } = configureQuietly(ports, options);
      const findings = await ports.examine(config, { isQuick: options.quick === true });
      const ok = findings.every(({ status }) => status !== 'fail');
      await ports.terminal.out(
        options.json ? jsonText({ ok, findings }) : renderFindings(findings, ports.terminal.colour),
      );
      return ok ? EXIT.success : EXIT.failure;
    }),
  );
}

/** One line a check, the remedy below it; `colour` allows escape codes. */
function renderFindings(findings: readonly Finding[], colour: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 8);
  return findings
    .map(({ check, status, seen, mend }) => {
      const mark = colour ? `\u001b[${COLOURS[status]}m${MARKS[status]}\u001b[39m` : MARKS[status];
      const lines = [`${mark}  ${check.padEnd(width)}  ${seen}`];
      if (mend !== undefined)
        lines.push(
          `-> ${mend}`
            .split('\n')
            .map((line) => indent + line)
            .join('\n'),
        );
      return lines.join('\n');
    })
    .join('\n');
}
